//! `headwater reports`: what was told, and what became of it.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::bail;
use chrono::{DateTime, Utc};
use headwater_queries::reports::{Became, Checked, Recheck, SavedQuestion, recheck};
use headwater_queries::why;
use headwater_store::{ReportCheck, SavedReport, Store};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::args::Format;
use crate::context::Context;
use crate::render::{self, page::Page, table::Table};

/// Reports that were kept (`why --save NAME`): list, show, ask again
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    pub what: Option<What>,
}

/// What to do with kept reports.
#[derive(Debug, clap::Subcommand)]
pub enum What {
    /// The kept reports, and what became of them
    List,
    /// A kept report as it was told, with the corrections since
    Show {
        /// Its name
        name: String,
    },
    /// Derive every claim anew: which hold, which grew stronger, which are overturned
    ///
    /// The old claim stays visible with its correction beside it, here and in `reports show`.
    Recheck {
        /// One report [default: all]
        name: Option<String>,
    },
}

/// Lists, shows or asks again.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md, Format::Html])?;
    let what = args.what.unwrap_or(What::List);
    let store = match what {
        What::Recheck { .. } => context.open_to_write()?,
        What::List | What::Show { .. } => context.open()?,
    };
    match what {
        What::List => list(&store, format),
        What::Show { name } => show(&store, &find(&store, &name)?, format),
        What::Recheck { name } => {
            let reports = match name {
                Some(name) => vec![find(&store, &name)?],
                None => store.reports()?,
            };
            again(context, &store, &reports, format)
        }
    }
}

/// The report of a name.
pub fn find(store: &Store, name: &str) -> anyhow::Result<SavedReport> {
    let all = store.reports()?;
    let names: Vec<&str> = all.iter().map(|report| report.name.as_str()).collect();
    match (all.iter().find(|report| report.name == name), names.is_empty()) {
        (Some(report), _) => Ok(report.clone()),
        (None, true) => bail!("no report is kept yet: headwater why … --save NAME keeps one"),
        (None, false) => bail!("no report is kept under {name:?}; there are: {}", names.join(", ")),
    }
}

/// The kept reports.
#[derive(Serialize, JsonSchema)]
pub struct Reports {
    /// `headwater/reports/1`
    schema: &'static str,
    /// The reports, in the order in which they were kept.
    reports: Vec<Listed>,
}

/// A kept report in the list of them.
#[derive(Serialize, JsonSchema)]
struct Listed {
    /// Its name.
    name: String,
    /// When it was kept, for people.
    saved: String,
    /// What was asked.
    #[schemars(with = "SavedQuestion")]
    question: Value,
    /// The version of headwater that made it.
    version: String,
    /// When its claims were last derived anew, for people.
    checked: Option<String>,
    /// How many of them were overturned then.
    overturned: Option<usize>,
}

/// A kept report, as it was told.
#[derive(Serialize, JsonSchema)]
pub struct Kept<'a> {
    /// `headwater/report/1`
    schema: &'static str,
    /// Its name.
    name: &'a str,
    /// When it was kept.
    saved: DateTime<Utc>,
    /// The version of headwater that made it.
    version: &'a str,
    /// What was asked.
    #[schemars(with = "SavedQuestion")]
    question: &'a Value,
    /// The hash of each rule set that it was made by.
    #[schemars(with = "BTreeMap<String, String>")]
    rules: &'a Value,
    /// The sha256 of the report's JSON as it was kept, in hexadecimal digits.
    sha256: String,
    /// When its claims were last derived anew.
    checked: Option<DateTime<Utc>>,
    /// The claims that did not hold then.
    #[schemars(with = "Vec<Checked>")]
    corrections: Vec<Value>,
    /// The report: a document of `headwater why` by the version that made it.
    report: Value,
}

/// What became of kept reports.
#[derive(Serialize, JsonSchema)]
pub struct Rechecked<'a> {
    /// `headwater/reports-recheck/1`
    schema: &'static str,
    /// A row for each report.
    reports: Vec<Again<'a>>,
}

/// What became of a kept report.
#[derive(Serialize, JsonSchema)]
struct Again<'a> {
    /// Its name.
    name: &'a str,
    /// When it was kept.
    saved: DateTime<Utc>,
    /// How many claims were overturned.
    overturned: usize,
    /// How many rest on weaker evidence.
    weaker: usize,
    /// How many rest on stronger evidence.
    stronger: usize,
    /// How many hold.
    holds: usize,
    /// The claims.
    recheck: &'a Recheck,
}

fn list(store: &Store, format: Format) -> anyhow::Result<ExitCode> {
    let mut all = Vec::new();
    for report in store.reports()? {
        let last = store.report_checks(&report)?.pop();
        let overturned = last.as_ref().map(|check| {
            let claims = check.result["claims"].as_array();
            claims.map_or(0, |c| c.iter().filter(|one| one["became"] == "overturned").count())
        });
        all.push(Listed {
            name: report.name,
            saved: date(report.saved),
            question: report.question,
            version: report.version,
            checked: last.map(|check| date(check.checked)),
            overturned,
        });
    }
    if format == Format::Json {
        render::json(&Reports { schema: "headwater/reports/1", reports: all })?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["name", "saved", "window", "model", "checked", "overturned"]);
    for one in &all {
        let text = |name: &str| one.question[name].as_str().unwrap_or_default().to_owned();
        table.row(vec![
            one.name.clone(),
            one.saved.clone(),
            format!("{} {}..{}", text("upstream"), text("base"), text("head")),
            text("model"),
            one.checked.clone().unwrap_or_else(|| "never".to_owned()),
            one.overturned.map_or_else(String::new, |count| count.to_string()),
        ]);
    }
    if table.is_empty() {
        render::print("No report is kept yet: headwater why … --save NAME keeps one\n")?;
    } else {
        render::print(&table.print(format))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(store: &Store, report: &SavedReport, format: Format) -> anyhow::Result<ExitCode> {
    let name = match format {
        Format::Json => "json",
        Format::Md => "md",
        Format::Html => "html",
        _ => "table",
    };
    let Some((text, digest)) = store.report_text(report, name)? else {
        bail!("{:?} was not kept as {name}", report.name);
    };
    let last = store.report_checks(report)?.pop();
    let changed = last.as_ref().map(|check| corrections(&check.result)).unwrap_or_default();
    if format == Format::Json {
        render::json(&Kept {
            schema: "headwater/report/1",
            name: &report.name,
            saved: report.saved,
            version: &report.version,
            question: &report.question,
            rules: &report.rules,
            sha256: digest.hex(),
            checked: last.as_ref().map(|check| check.checked),
            corrections: changed,
            report: serde_json::from_str(&text)?,
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut page = Page::new(format, None);
    page.say(
        0,
        &format!(
            "{}, as it was told on {} by headwater {}",
            report.name,
            date(report.saved),
            report.version
        ),
    );
    match &last {
        Some(check) if changed.is_empty() => {
            page.say(0, &format!("asked again on {}: every claim holds", date(check.checked)));
        }
        Some(check) => {
            page.heading("Corrections", &format!("asked again on {}", date(check.checked)));
            for one in &changed {
                render::reports::correction(&mut page, one);
            }
        }
        None => page.say(0, "not asked again yet: headwater reports recheck"),
    }
    let above = page.part();
    let whole = match format {
        Format::Html => text.replacen("<main>", &format!("<main>{above}<hr>"), 1),
        _ => format!("{above}\n{text}"),
    };
    render::print(&whole)?;
    Ok(ExitCode::SUCCESS)
}

/// The claims that do not hold as they were told.
fn corrections(result: &Value) -> Vec<Value> {
    let all = result["claims"].as_array().map_or(&[][..], Vec::as_slice);
    all.iter().filter(|one| one["became"] != "holds").cloned().collect()
}

fn again(
    context: &Context,
    store: &Store,
    reports: &[SavedReport],
    format: Format,
) -> anyhow::Result<ExitCode> {
    let rules = crate::answers::why::rules(context)?;
    let hashes = rules.hashes();
    let mut done: Vec<(&SavedReport, Recheck)> = Vec::new();
    for report in reports {
        let Some((text, _)) = store.report_text(report, "json")? else {
            bail!("{:?} was not kept as json", report.name);
        };
        let question = SavedQuestion::read(&report.question)?.ask(context.question_jobs())?;
        let now = why::why(store, &context.upstreams, &rules, &question)?;
        // Both sides are told as what is kept: without what is private.
        let scrub = super::kept::scrub(context, &now)?;
        let mut now = serde_json::to_value(&now)?;
        scrub.json(&mut now);
        let found = recheck(&serde_json::from_str(&text)?, &now, [&report.rules, &hashes]);
        store.add_report_check(
            report,
            &ReportCheck {
                checked: Utc::now(),
                rules: hashes.clone(),
                result: serde_json::to_value(&found)?,
            },
        )?;
        done.push((report, found));
    }
    if format == Format::Json {
        let reports = done
            .iter()
            .map(|(report, found)| Again {
                name: &report.name,
                saved: report.saved,
                overturned: found.count(Became::Overturned),
                weaker: found.count(Became::Weaker),
                stronger: found.count(Became::Stronger),
                holds: found.count(Became::Holds),
                recheck: found,
            })
            .collect();
        render::json(&Rechecked { schema: "headwater/reports-recheck/1", reports })?;
        return Ok(ExitCode::SUCCESS);
    }
    let scrub = context.scrub_if(format, None)?;
    let mut page = Page::new(format, scrub.as_ref());
    if done.is_empty() {
        page.say(0, "No report is kept yet: headwater why … --save NAME keeps one");
    }
    for (report, found) in &done {
        render::reports::recheck(&mut page, report, found);
    }
    render::print(&page.finish("headwater reports recheck"))?;
    Ok(ExitCode::SUCCESS)
}

fn date(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%d %H:%M UTC").to_string()
}
