//! `headwater why`: what explains the change that a window brought.

use std::process::ExitCode;

use clap::builder::NonEmptyStringValueParser;
use headwater_queries::brief::own_names;
use headwater_queries::measure::SpeedTable;
use headwater_queries::why::{self, AsOf, WhyQuestion};
use headwater_queries::window::WindowSpec;
use schemars::JsonSchema;
use serde::Serialize;

use super::{backend, kept};
use crate::answers::{
    self,
    why::{Fetch, NotAsked},
};
use crate::args::Format;
use crate::context::Context;
use crate::live::{Via, Wish};
use crate::machine::Installed;
use crate::render::{self, page::Page};

/// Why did this version window change speed or answers?
///
/// Ranks the commits of the window, and of the windows of pinned upstreams that it opens,
/// each with its reasons and evidence; shows the defaults that moved and how to get the
/// old ones back; and says what was looked for and not found, and against what.
///
/// What the store lacks of them is fetched first, unless --offline is given.
///
/// Examples:
///   headwater why ollama v0.32.9..v0.32.13 --model gemma4:26b --backend cuda
///   headwater why ollama                      the installed version against the newest
///   headwater why ollama previous..latest     what the newest release brought
///   headwater why ollama installed..latest --mine    should I upgrade, for my models?
///   headwater why llama.cpp b10353 b10380 --symptom 'prompt processing is slower'
///   headwater why ollama --speeds speeds.csv --model gemma4:26b
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The upstream: ollama, llama.cpp
    pub upstream: String,
    /// BASE..HEAD: tags (0.32.9 means v0.32.9), branches, commits, build numbers (b10380),
    /// installed, latest or previous
    #[arg(default_value = "installed..latest", hide_default_value = true)]
    pub window: String,
    /// HEAD, where the window was given as two arguments
    pub head: Option<String>,
    /// What you saw, in your own words
    #[arg(long, value_name = "TEXT")]
    pub symptom: Option<String>,
    /// What the model runs on; rocm, nvidia, apple and the like are understood
    #[arg(long, value_parser = backend::parser(), ignore_case = true)]
    pub backend: Option<String>,
    /// The model, as Ollama names it
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub model: Option<String>,
    /// For the models that are installed here: by the local server and the models folder, or
    /// by the last reading of `headwater rig`
    #[arg(long, conflicts_with_all = ["model", "save"])]
    pub mine: bool,
    /// Where the change was seen
    #[arg(long, value_parser = PHASES)]
    pub phase: Option<String>,
    /// What kind of change it was
    #[arg(long, value_parser = KINDS)]
    pub kind: Option<String>,
    /// Count nothing from after HEAD (head), everything stored (now), or what was
    /// committed until a date (2026-08-20)
    #[arg(long, value_name = "head|now|DATE", default_value = "now", value_parser = as_of)]
    pub as_of: AsOf,
    /// Ask GitHub what people wrote of it, also where the window is stored: release notes,
    /// advisories, pull requests of commits whose subjects name none
    #[arg(long, conflicts_with = "offline")]
    pub notes: bool,
    /// Also what others report of it, which a token in GH_TOKEN makes unasked
    #[arg(long, conflicts_with = "offline")]
    pub reports: bool,
    /// Ask nothing of any network
    #[arg(long)]
    pub offline: bool,
    /// How what is lacking comes from GitHub
    #[arg(long, value_enum, default_value_t, conflicts_with = "offline")]
    pub via: Via,
    /// Show so many candidates [default: 5 on a screen, all in JSON]
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    #[command(flatten)]
    pub kept: kept::Args,
}

/// What models run on.
pub use super::backend::BACKENDS;

/// Where a change can be seen.
pub const PHASES: [&str; 3] = ["prefill", "decode", "load"];

/// What kinds of change there are.
pub const KINDS: [&str; 6] = ["speed", "output", "memory", "crash", "build", "api"];

/// A question about a window, a model and a backend alone.
pub struct Question {
    pub upstream: String,
    pub window: WindowSpec,
    pub model: Option<String>,
    pub backend: Option<String>,
}

impl Question {
    /// The question with nothing else said.
    pub fn plain(self, context: &Context) -> WhyQuestion {
        WhyQuestion {
            upstream: self.upstream,
            window: self.window,
            symptom: None,
            backend: self.backend,
            model: self.model,
            phase: None,
            kind: None,
            installed: None,
            as_of: AsOf::Now,
            jobs: context.question_jobs(),
        }
    }
}

/// Reads `head`, `now` or a date.
pub fn as_of(text: &str) -> Result<AsOf, String> {
    match text {
        "head" => Ok(AsOf::Head),
        "now" => Ok(AsOf::Now),
        date => {
            let day = chrono::NaiveDate::parse_from_str(date, "%Y-%m-%d")
                .map_err(|_| "write head, now, or a date like 2026-08-20".to_owned())?;
            let end = day.and_hms_opt(23, 59, 59).ok_or("no such date")?;
            Ok(AsOf::Time(end.and_utc().timestamp()))
        }
    }
}

/// Asks, and prints the report.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md, Format::Html])?;
    let upstream = context.upstreams.get(&args.upstream)?;
    let mut store = match args.offline {
        true => context.open()?,
        false => context.open_to_fetch()?,
    };
    if args.kept.save.is_some() {
        store.writes()?;
    }
    let offline = args.offline || store.is_read_only();
    let table = args.kept.table(context, &mut store, &upstream.name)?;
    let window = args.kept.window(table.as_ref(), &args.window, args.head.as_deref())?;
    let Some(window) = window else { return no_step(context, format, table) };
    let mine = match args.mine {
        true => Some(Installed::find(context, &mut store, offline)?),
        false => None,
    };
    let window = match &mine {
        // Nobody is asked which version that is.
        Some(mine) if offline => mine.named(upstream, window),
        _ => window,
    };
    let mut question = WhyQuestion {
        upstream: upstream.name.clone(),
        window,
        symptom: args.symptom,
        backend: args.backend,
        model: args.model,
        phase: args.phase,
        kind: args.kind,
        installed: None,
        as_of: args.as_of,
        jobs: context.question_jobs(),
    };
    let rules = answers::why::rules(context)?;
    let wish = Wish { asked: args.notes || args.reports, reports: args.reports };
    let fetch = (!offline).then_some(Fetch { via: args.via, wish });
    let mut report =
        answers::why::ask(context, &mut store, &rules, &mut question, fetch).map_err(|error| {
            match error.downcast::<NotAsked>() {
                Ok(unasked) if args.offline => {
                    anyhow::anyhow!("{unasked}, or leave --offline out")
                }
                Ok(unasked) => unasked.into(),
                Err(other) => other,
            }
        })?;
    if let Some(mine) = &mine {
        report = why::mine(&store, &context.upstreams, &rules, &question, &mine.models, report)?;
    }
    report.speeds = table;
    let top = args.top.unwrap_or(5);
    if let Some(name) = &args.kept.save {
        kept::save(context, &mut store, &rules, &question, &report, name, top)?;
    }
    let public = args.kept.public.unwrap_or(matches!(format, Format::Md | Format::Html));
    let scrub = match (public, &mine) {
        (false, _) => None,
        (true, None) => Some(kept::scrub(context, &report)?),
        (true, Some(mine)) => {
            let own = own_names(&store, mine.models.iter().map(String::as_str))?;
            Some(kept::scrub(context, &report)?.without(own))
        }
    };
    if format != Format::Json {
        render::print(&render::why::screen(&report, top, format, scrub.as_ref()))?;
        return Ok(ExitCode::SUCCESS);
    }
    report.candidates.truncate(args.top.unwrap_or(usize::MAX));
    render::json_without(&report, scrub.as_ref())?;
    Ok(ExitCode::SUCCESS)
}

/// A table of speeds that names no window.
#[derive(Serialize, JsonSchema)]
pub struct Speeds {
    /// `headwater/speeds/1`
    schema: &'static str,
    /// The table, with why it has no step.
    speeds: Option<SpeedTable>,
}

/// Tells why a table of speeds has no step.
fn no_step(
    context: &Context,
    format: Format,
    table: Option<SpeedTable>,
) -> anyhow::Result<ExitCode> {
    if format == Format::Json {
        render::json(&Speeds { schema: "headwater/speeds/1", speeds: table })?;
    } else if let Some(table) = &table {
        let scrub = context.scrub_if(format, None)?;
        let mut page = Page::new(format, scrub.as_ref());
        render::measure::table(&mut page, table);
        render::print(&page.finish("headwater why --speeds"))?;
    }
    Ok(ExitCode::from(1))
}
