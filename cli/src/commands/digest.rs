//! `headwater digest`: what moved upstream.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use chrono::{DateTime, Utc};
use headwater_queries::digest::{Marks, Period};
use headwater_store::{Digest as Sha256, DigestRun, Store};

use crate::answers::{self, digest::When};
use crate::args::Format;
use crate::context::Context;
use crate::render;

/// What moved upstream this week: defaults first
///
/// Then sampler, CUDA and MoE work, toolchains, pins with what they bring, releases,
/// parameters of models, advisories. A closed week's digest stays the same; what became
/// known later stands under its entries, marked as such.
///
/// It tells what is stored: `headwater crawl` first. With --since-last every commit that
/// came into the store is told exactly once: a run that was cut short is told again, to the
/// same file and with the same entries.
///
/// Examples:
///   headwater digest                        this week
///   headwater digest --week 2026-W33
///   headwater digest --since 2026-08-01 --upstream ollama
///   headwater digest --since-last --format md --output monday.md
///   headwater digest --week 2026-W33 --format atom > feed.xml
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// An ISO week by committer dates in UTC; without a value, this one
    #[arg(long, value_name = "2026-W33", num_args = 0..=1, default_missing_value = "")]
    pub week: Option<String>,
    /// From this day until now
    #[arg(long, value_name = "DATE", conflicts_with = "week")]
    pub since: Option<String>,
    /// What came into the store since the last run with this option
    #[arg(long, conflicts_with_all = ["week", "since"])]
    pub since_last: bool,
    /// Only this upstream; may be given several times [default: all that are stored]
    #[arg(long, value_name = "UPSTREAM")]
    pub upstream: Vec<String>,
    /// Write it to this file, whole or not at all
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Asks, and prints or writes.
pub fn run(context: &Context, args: &Args) -> anyhow::Result<ExitCode> {
    let format =
        context.format(&[Format::Table, Format::Json, Format::Md, Format::Html, Format::Atom])?;
    let mut store = context.open()?;
    if args.since_last {
        store.writes()?;
        return since_last(context, &mut store, args, format);
    }
    let now = Utc::now();
    let when = When::new(args.since.as_deref(), args.week.as_deref(), now)?;
    let text = told(context, &mut store, args, format, when, None)?;
    put(&text, args)?;
    Ok(ExitCode::SUCCESS)
}

/// The digest as it is printed.
fn told(
    context: &Context,
    store: &mut Store,
    args: &Args,
    format: Format,
    when: When,
    marks: Option<Marks>,
) -> anyhow::Result<String> {
    let digest = answers::digest::ask(context, store, &args.upstream, when, marks)?;
    let scrub = context.scrub(&[])?;
    Ok(match format {
        Format::Json => render::json_text(&digest)?,
        Format::Atom => render::feed::atom(&digest, &scrub),
        Format::Md | Format::Html => render::digest::screen(&digest, format, Some(&scrub)),
        _ => render::digest::screen(&digest, format, None),
    })
}

/// Tells each commit that came into the store once, also where a run is cut short: what a
/// run will tell is recorded first, and that it was told last.
fn since_last(
    context: &Context,
    store: &mut Store,
    args: &Args,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let names = answers::digest::names(context, store, &args.upstream)?;
    let output = args.output.as_ref().map(|path| path.display().to_string());
    let last = store.last_digest_run()?;
    let written = |run: &DigestRun| {
        let file = run.output.as_ref().and_then(|path| std::fs::read(path).ok());
        file.is_some_and(|bytes| Some(Sha256::of(&bytes)) == run.sha256)
    };
    let mut run = match last {
        Some(run) if run.done.is_none() && !written(&run) => run,
        last => {
            if let Some(run) = last.as_ref().filter(|run| run.done.is_none()) {
                store.finish_digest_run(run.id)?;
            }
            let mut through: BTreeMap<String, i64> =
                last.as_ref().map(|run| run.through.clone()).unwrap_or_default();
            for name in &names {
                through.insert(name.clone(), store.newest_commit(store.upstream(name)?)?);
            }
            let after = last.as_ref().map(|run| run.through.clone()).unwrap_or_default();
            let from = last.map(|run| run.to);
            store.begin_digest_run(from, &after, &through, output.as_deref())?
        }
    };
    let from = run.from.unwrap_or_else(|| run.to - chrono::TimeDelta::days(7));
    let name = |at: DateTime<Utc>| at.format("%Y-%m-%d %H:%M").to_string();
    let period = Period { name: format!("{} to {}", name(from), name(run.to)), from, to: run.to };
    // The first run has nothing to go on from: it tells the last seven days.
    let marks = run.from.map(|_| Marks { after: run.after.clone(), through: run.through.clone() });
    let question = format!("headwater digest --since {}", from.format("%Y-%m-%d"));
    let when = When { period, question };
    let text = told(context, store, args, format, when, marks)?;
    run.sha256 = Some(Sha256::of(text.as_bytes()));
    store.record_digest_run(&run, output.as_deref())?;
    put(&text, args)?;
    store.finish_digest_run(run.id)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints, or writes the file whole.
fn put(text: &str, args: &Args) -> anyhow::Result<()> {
    match &args.output {
        Some(path) => render::write_whole(path, text),
        None => render::print(text),
    }
}
