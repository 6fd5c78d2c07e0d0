//! `headwater observe`: a measurement of the user's own, kept and worked out.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use chrono::Utc;
use clap::builder::NonEmptyStringValueParser;
use headwater_queries::measure::{
    Disagreement, ObservationShown, ToRecord, Unit, read_runs, read_toggle, record, speeds,
};
use headwater_queries::why::{self, WhyReport};
use headwater_queries::window::WindowSpec;
use headwater_store::{Measured, Observation, Run, Withdrawn};
use schemars::JsonSchema;
use serde::Serialize;

use super::backend;
use super::why::{PHASES, Question};
use crate::args::Format;
use crate::context::{Context, input_file};
use crate::render::{self, page::Page};

/// Keep a measurement of your own, and work out what it shows
///
/// Measure three speeds: the old version, the new version with the old default set by hand
/// (--with), and the new version as it comes (--without). The arithmetic is in ms/token,
/// since rates do not add up. `headwater plan` prints what to run.
///
/// Examples:
///   headwater observe ollama v0.32.9..v0.32.13 --toggle repeat_penalty=1.1 --old 139.55 --with 136.13 --without 209.37 --unit tok/s --model gemma4:26b
///   headwater observe ollama v0.32.9..v0.32.13 --toggle repeat_penalty=1.1 --samples runs.csv
///   headwater observe ollama v0.32.9..v0.32.13 --toggle repeat_penalty=1.1 --kind output --tolerance 0.01    before the run
///   headwater observe ollama v0.32.9..v0.32.13 --toggle repeat_penalty=1.1 --kind output --with-hash H --without-hash H --diverges-at 12 --margin 0.3
///   headwater observe ollama --withdraw 3 --because 'a browser was open'    `why` tells the numbers
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The upstream: ollama, llama.cpp
    pub upstream: String,
    /// BASE..HEAD: the old version and the new one
    #[arg(required_unless_present = "withdraw")]
    pub window: Option<String>,
    /// HEAD, where the window was given as two arguments
    pub head: Option<String>,
    /// The knob, and the old default that the run with the toggle sets
    #[arg(long, value_name = "KNOB=VALUE", required_unless_present = "withdraw")]
    pub toggle: Option<String>,
    /// Take an observation back, by its number: it decides nothing from now on
    #[arg(long, value_name = "N", conflicts_with_all = ["window", "toggle"])]
    pub withdraw: Option<i64>,
    /// Why it is taken back
    #[arg(long, value_name = "TEXT", requires = "withdraw")]
    pub because: Option<String>,
    /// What was measured
    #[arg(long, value_parser = ["speed", "output"], default_value = "speed")]
    pub kind: String,
    /// The speed of BASE
    #[arg(long, value_name = "SPEED", allow_negative_numbers = true)]
    pub old: Option<f64>,
    /// The speed of HEAD with the toggle
    #[arg(long, value_name = "SPEED", allow_negative_numbers = true)]
    pub with: Option<f64>,
    /// The speed of HEAD as it comes
    #[arg(long, value_name = "SPEED", allow_negative_numbers = true)]
    pub without: Option<f64>,
    /// The unit of the speeds: tok/s, ms/token
    #[arg(long, default_value = "tok/s")]
    pub unit: String,
    /// Repeated runs: rows of ARM,VALUE (old, with, without), or three columns so headed
    #[arg(long, value_name = "FILE")]
    pub samples: Option<std::path::PathBuf>,
    /// Output: a hash of the answer with the toggle
    #[arg(long, value_name = "HASH")]
    pub with_hash: Option<String>,
    /// Output: a hash of the answer without it
    #[arg(long, value_name = "HASH")]
    pub without_hash: Option<String>,
    /// Output: the first token that differs, from 0
    #[arg(long, value_name = "N")]
    pub diverges_at: Option<u64>,
    /// Output: how far the two best tokens are apart there
    #[arg(long, value_name = "X")]
    pub margin: Option<f64>,
    /// Output: a margin within which a difference is to count for nothing; on its own it is
    /// recorded for the run to come
    #[arg(long, value_name = "X")]
    pub tolerance: Option<f64>,
    /// The model
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub model: Option<String>,
    /// What ran it, and how it was built
    #[arg(long, value_name = "TEXT")]
    pub runtime: Option<String>,
    /// What it ran on
    #[arg(long, value_parser = backend::parser(), ignore_case = true)]
    pub backend: Option<String>,
    /// Which speed it is [default: decode]
    #[arg(long, value_parser = PHASES)]
    pub phase: Option<String>,
    /// How long the prompt was
    #[arg(long, value_name = "N")]
    pub prompt_tokens: Option<u64>,
    /// What else the machine did
    #[arg(long, value_name = "TEXT")]
    pub load: Option<String>,
    /// Anything else
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
}

/// A measurement that was kept or taken back, and what the window comes to.
#[derive(Serialize, JsonSchema)]
pub struct Answer<'a> {
    /// `headwater/observe/1`
    schema: &'static str,
    /// What was kept; of a tolerance nothing is worked out yet.
    observation: Option<&'a ObservationShown>,
    /// The number of the one that was taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    withdrawn: Option<i64>,
    /// The tolerance that was recorded for the run to come.
    tolerance: Option<f64>,
    /// Observations that disagree with it.
    disagreements: Vec<&'a Disagreement>,
    /// The window's answer in a line, with it.
    headline: &'a str,
}

/// Keeps the measurement, and prints what it comes to.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md, Format::Html])?;
    let (window, toggle) = match (args.withdraw, &args.window, &args.toggle) {
        (Some(id), ..) => return withdraw(context, format, &args, id),
        (None, Some(window), Some(toggle)) => (window, read_toggle(toggle)?),
        (None, ..) => bail!("an observation is about a window and a toggle"),
    };
    let unit: Unit = args.unit.parse()?;
    let (runs, input) = match &args.samples {
        Some(path) => {
            let (bytes, input) = input_file(path)?;
            let runs =
                read_runs(&bytes, unit).with_context(|| format!("{} holds no runs", input.name))?;
            (runs, Some(input))
        }
        None => (Vec::new(), None),
    };
    let measured = measured(&args, unit, &runs)?;
    let mut store = context.open_to_write()?;
    let upstream = context.upstreams.get(&args.upstream)?.clone();
    let question = Question {
        upstream: upstream.name.clone(),
        window: WindowSpec::from_args(window, args.head.as_deref())?,
        model: args.model.clone(),
        backend: args.backend.clone(),
    }
    .plain(context);
    let rules = crate::answers::why::rules(context)?;
    let before = why::why(&store, &context.upstreams, &rules, &question)?;
    let tolerance = match measured {
        Measured::Tolerance { tolerance } => Some(tolerance),
        _ => None,
    };
    let kept = record(
        &mut store,
        &upstream,
        &before,
        ToRecord {
            toggle,
            measured,
            conditions: conditions(&args),
            input,
            runs,
            recorded: Utc::now(),
        },
    )?;
    let report = why::why(&store, &context.upstreams, &rules, &question)?;
    let shown = report.observations.iter().find(|one| one.id == kept.id());
    let about = |one: &&Disagreement| one.first == kept.id() || one.second == kept.id();
    let disagreements: Vec<&Disagreement> = report.disagreements.iter().filter(about).collect();
    if format == Format::Json {
        render::json(&Answer {
            schema: "headwater/observe/1",
            observation: shown,
            withdrawn: None,
            tolerance,
            disagreements,
            headline: &report.headline,
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let scrub = context.scrub_if(format, None)?;
    let mut page = Page::new(format, scrub.as_ref());
    match (shown, tolerance) {
        (Some(shown), _) => {
            render::measure::kept(&mut page, shown, &disagreements);
            comes_to(&mut page, &report);
        }
        (None, Some(tolerance)) => {
            page.say(
                0,
                &format!(
                    "Recorded before the run: a margin within {tolerance} is to count for nothing. Now run, and give the hashes."
                ),
            );
            page.command(0, &report.question);
        }
        (None, None) => bail!("observation {} was kept, and is not in the window", kept.id()),
    }
    render::print(&page.finish("headwater observe"))?;
    Ok(ExitCode::SUCCESS)
}

/// What a window comes to now, and what asks it again.
fn comes_to(page: &mut Page<'_>, report: &WhyReport) {
    page.heading("What that makes of the window", "");
    page.say(0, &report.headline);
    page.command(0, &report.question);
}

/// Takes an observation back, and prints what that makes of its window.
fn withdraw(context: &Context, format: Format, args: &Args, id: i64) -> anyhow::Result<ExitCode> {
    let mut store = context.open_to_write()?;
    let upstream = &context.upstreams.get(&args.upstream)?.name;
    let stands = |one: &Observation| one.withdrawn.is_none();
    let known = store.observations(upstream)?;
    let Some(one) = known.iter().find(|one| one.id() == id && stands(one)) else {
        let left: Vec<String> =
            known.iter().filter(|one| stands(one)).map(|one| one.id().to_string()).collect();
        bail!(
            "{upstream} has no observation {id} that stands; {}",
            match left.is_empty() {
                true => "it has none".to_owned(),
                false => format!("those that do: {}", left.join(", ")),
            }
        );
    };
    let withdrawn = Withdrawn { at: Utc::now(), because: args.because.clone() };
    store.withdraw_observation(upstream, id, &withdrawn)?;
    let condition = |name: &str| one.conditions.get(name).cloned();
    let mut told = None;
    if let Some(window) = &one.window {
        let question = Question {
            upstream: upstream.clone(),
            window: WindowSpec { base: window.base.clone(), head: window.head.clone() },
            model: condition("model"),
            backend: condition("backend"),
        }
        .plain(context);
        let rules = crate::answers::why::rules(context)?;
        told = Some(why::why(&store, &context.upstreams, &rules, &question)?);
    }
    let headline = told.as_ref().map_or("", |report| report.headline.as_str());
    if format == Format::Json {
        render::json(&Answer {
            schema: "headwater/observe/1",
            observation: None,
            withdrawn: Some(id),
            tolerance: None,
            disagreements: Vec::new(),
            headline,
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let scrub = context.scrub_if(format, None)?;
    let mut page = Page::new(format, scrub.as_ref());
    page.say(
        0,
        &format!("Observation {id} decides nothing from now on; answers --as-of a time before still have it."),
    );
    if let Some(report) = &told {
        comes_to(&mut page, report);
    }
    render::print(&page.finish("headwater observe"))?;
    Ok(ExitCode::SUCCESS)
}

fn measured(args: &Args, unit: Unit, runs: &[Run]) -> anyhow::Result<Measured> {
    for (name, value) in [("--margin", args.margin), ("--tolerance", args.tolerance)] {
        if value.is_some_and(|value| !value.is_finite() || value < 0.0) {
            bail!("{name} is a distance: a number from 0");
        }
    }
    if args.kind == "speed" {
        if args.with_hash.is_some() || args.without_hash.is_some() || args.tolerance.is_some() {
            bail!("hashes and tolerances are about outputs: add --kind output");
        }
        return Ok(speeds(unit, [args.old, args.with, args.without], runs)?);
    }
    match (&args.with_hash, &args.without_hash, args.tolerance) {
        (Some(with), Some(without), tolerance) => Ok(Measured::Output {
            with: with.clone(),
            without: without.clone(),
            diverges_at: args.diverges_at,
            margin: args.margin,
            tolerance,
        }),
        (None, None, Some(tolerance)) => Ok(Measured::Tolerance { tolerance }),
        _ => bail!(
            "outputs are compared by --with-hash and --without-hash; --tolerance alone records one for the run to come"
        ),
    }
}

fn conditions(args: &Args) -> BTreeMap<String, String> {
    let prompt_tokens = args.prompt_tokens.map(|count| count.to_string());
    let all = [
        ("model", &args.model),
        ("runtime", &args.runtime),
        ("backend", &args.backend),
        ("phase", &args.phase),
        ("prompt-tokens", &prompt_tokens),
        ("load", &args.load),
        ("note", &args.note),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?))).collect()
}
