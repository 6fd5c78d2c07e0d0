//! What `why` does besides asking: find the window in a table of speeds, keep the report.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use chrono::Utc;
use headwater_queries::measure::{Conventions, SpeedTable, Unit, read_table};
use headwater_queries::public::Scrub;
use headwater_queries::reports::{SavedQuestion, receipts};
use headwater_queries::why::{Rules, WhyQuestion, WhyReport};
use headwater_queries::window::WindowSpec;
use headwater_store::{Measured, NewObservation, NewReport, Store};

use crate::args::Format;
use crate::context::{Context, input_file};
use crate::render;

/// A table of speeds, and what becomes of the report.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Find the window in a table of speeds: rows of VERSION,VALUE, repeated runs in further
    /// columns or rows
    #[arg(long, value_name = "FILE", conflicts_with_all = ["window", "head"])]
    pub speeds: Option<PathBuf>,
    /// The unit of the table: tok/s, ms/token
    #[arg(long, default_value = "tok/s", requires = "speeds")]
    pub unit: String,
    /// Which of several steps to explain [default: the largest]
    #[arg(long, value_name = "N", requires = "speeds", value_parser = clap::value_parser!(u16).range(1..))]
    pub step: Option<u16>,
    /// Keep the report under this name (`headwater reports`)
    #[arg(long, value_name = "NAME")]
    pub save: Option<String>,
    /// Leave home paths, host names and private addresses out [default: for md and html]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub public: Option<bool>,
}

impl Args {
    /// Reads the table, keeps it, and finds its steps.
    pub fn table(
        &self,
        context: &Context,
        store: &mut Store,
        upstream: &str,
    ) -> anyhow::Result<Option<SpeedTable>> {
        let Some(path) = &self.speeds else { return Ok(None) };
        let unit: Unit = self.unit.parse()?;
        let (bytes, input) = input_file(path)?;
        let rows = read_table(&bytes, unit)
            .with_context(|| format!("{} is no table of speeds", input.name))?;
        let upstream = context.upstreams.get(upstream)?;
        let table = SpeedTable::of(store, upstream, rows, unit, input, &Conventions::shipped()?)?;
        let known = store.observations(&upstream.name)?;
        let is_kept = known
            .iter()
            .any(|one| one.withdrawn.is_none() && one.input.as_ref() == Some(&table.input));
        if !is_kept && !store.is_read_only() {
            store.add_observation(&NewObservation {
                upstream: &upstream.name,
                recorded: Utc::now(),
                window: None,
                toggle: None,
                measured: Measured::Table { unit: unit.as_str().to_owned() },
                conditions: Default::default(),
                input: Some(table.input.clone()),
                runs: table.runs(),
            })?;
        }
        Ok(Some(table))
    }

    /// The window to explain: that of a step, or the one that was given. `None` where the
    /// table has no step.
    pub fn window(
        &self,
        table: Option<&SpeedTable>,
        given: &str,
        head: Option<&str>,
    ) -> anyhow::Result<Option<WindowSpec>> {
        let Some(table) = table else {
            return Ok(Some(WindowSpec::from_args(given, head)?));
        };
        let count = table.steps.steps.len();
        let at = match self.step.map(usize::from) {
            Some(step) if step > count => {
                bail!("the table has {count} steps, and no step {step}; give one from 1 to {count}")
            }
            Some(step) => Some(step - 1),
            None => table.largest(),
        };
        let step = at.and_then(|at| table.steps.steps.get(at));
        Ok(step.map(|step| WindowSpec { base: step.base.clone(), head: step.head.clone() }))
    }
}

/// What is left out of this report where it is made to be published: besides what is
/// known of the machine, where its clones lie.
pub fn scrub(context: &Context, report: &WhyReport) -> anyhow::Result<Scrub> {
    let receipts = report.candidates.iter().flat_map(|candidate| &candidate.receipts);
    let clones = receipts.filter(|receipt| receipt.transport() == "git");
    let mut dirs: Vec<String> = clones
        .map(|receipt| receipt.source().to_owned())
        .filter(|source| !source.contains("://"))
        .collect();
    dirs.sort();
    dirs.dedup();
    context.scrub(&dirs)
}

/// Keeps a report: what it says in every format, its receipts, and what it was made by.
pub fn save(
    context: &Context,
    store: &mut Store,
    rules: &Rules,
    question: &WhyQuestion,
    report: &WhyReport,
    name: &str,
    top: usize,
) -> anyhow::Result<()> {
    let sound = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.len() > 80 || !name.chars().all(sound) {
        bail!("{name:?} is no name for a report; letters, digits, - _ and . are");
    }
    // What is kept is made to be passed on.
    let scrub = scrub(context, report)?;
    let mut json = serde_json::to_value(report)?;
    scrub.json(&mut json);
    let mut lines = serde_json::to_value(receipts(store, &context.upstreams, question, report)?)?;
    scrub.json(&mut lines);
    let mut asked = serde_json::to_value(SavedQuestion::of(question))?;
    scrub.json(&mut asked);
    let screen = |format| render::why::screen(report, top, format, Some(&scrub));
    let texts = [
        ("json", json.to_string()),
        ("table", anstream::adapter::strip_str(&screen(Format::Table)).to_string()),
        ("md", screen(Format::Md)),
        ("html", screen(Format::Html)),
        ("receipts", lines.to_string()),
    ];
    let kept = store.add_report(&NewReport {
        name,
        saved: Utc::now(),
        question: &asked,
        rules: &rules.hashes(),
        version: env!("CARGO_PKG_VERSION"),
        texts: &texts,
    })?;
    if !kept {
        bail!(
            "a report is kept under {name:?} already, and stays as it was told; choose another name, or ask it again: headwater reports recheck {name}"
        );
    }
    Ok(())
}
