//! `headwater why`: what explains the change that a window brought.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;
use headwater_queries::rank;
use headwater_queries::why::{self, AsOf, Rules, WhyQuestion};
use headwater_queries::window::WindowSpec;

use crate::args::Format;
use crate::context::Context;
use crate::render;

/// Why did this version window change speed or answers?
///
/// Ranks the commits of the window, and of the windows of pinned upstreams that it opens,
/// each with its reasons and evidence; shows the defaults that moved and how to get the
/// old ones back; and says what was looked for and not found, and against what.
///
/// Examples:
///   headwater why ollama v0.32.9..v0.32.13 --model gemma4:26b --backend cuda
///   headwater why llama.cpp b10353 b10380 --symptom 'prompt processing is slower'
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The upstream: ollama, llama.cpp
    pub upstream: String,
    /// BASE..HEAD: tags (0.32.9 means v0.32.9), branches, commits or build numbers (b10380)
    pub window: String,
    /// HEAD, where the window was given as two arguments
    pub head: Option<String>,
    /// What you saw, in your own words
    #[arg(long, value_name = "TEXT")]
    pub symptom: Option<String>,
    /// What the model runs on
    #[arg(long, value_parser = ["cuda", "hip", "musa", "metal", "vulkan", "sycl", "opencl", "webgpu", "rpc", "cpu"])]
    pub backend: Option<String>,
    /// The model, as Ollama names it
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Where the change was seen
    #[arg(long, value_parser = ["prefill", "decode", "load"])]
    pub phase: Option<String>,
    /// What kind of change it was
    #[arg(long, value_parser = ["speed", "output", "memory", "crash", "build", "api"])]
    pub kind: Option<String>,
    /// Count nothing from after HEAD (head), everything stored (now), or what was
    /// committed until a date (2026-08-20)
    #[arg(long, value_name = "head|now|DATE", default_value = "now", value_parser = as_of)]
    pub as_of: AsOf,
    /// Ask nothing of any network
    #[arg(long)]
    pub offline: bool,
    /// Show so many candidates [default: 5 on a screen, all in JSON]
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
}

/// Reads `head`, `now` or a date.
fn as_of(text: &str) -> Result<AsOf, String> {
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
    let format = context.format(&[Format::Table, Format::Json, Format::Md])?;
    let store = context.open()?;
    let window = WindowSpec::from_args(&args.window, args.head.as_deref())?;
    let question = WhyQuestion {
        upstream: args.upstream,
        window,
        symptom: args.symptom,
        backend: args.backend,
        model: args.model,
        phase: args.phase,
        kind: args.kind,
        as_of: args.as_of,
        jobs: context.question_jobs(),
    };
    let mut report = why::why(&store, &context.upstreams, &rules(context)?, &question)?;
    if format != Format::Json {
        let text = render::why::screen(&report, args.top.unwrap_or(5), format);
        anstream::stdout().write_all(text.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    report.candidates.truncate(args.top.unwrap_or(usize::MAX));
    render::json(&report)?;
    Ok(ExitCode::SUCCESS)
}

/// The rule sets: the built-in ones, then the user's own.
pub fn rules(context: &Context) -> anyhow::Result<Rules> {
    Ok(Rules {
        classes: context.rule_texts()?,
        extractors: context.extractors()?,
        facets: rank::Facets::shipped().context("the built-in ranking rules")?,
        weights: rank::Weights::shipped().context("the built-in weights")?,
    })
}
