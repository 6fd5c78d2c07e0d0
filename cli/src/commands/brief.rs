//! `headwater brief`: what a reviewer of the rig must know.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use headwater_queries::brief::{Brief, BriefQuestion, brief};
use headwater_queries::digest::{DigestRequest, Period};
use headwater_store::Store;

use super::rig::{RigFileArg, status};
use crate::answers::digest::When;
use crate::args::Format;
use crate::context::Context;
use crate::machine::Machine;
use crate::render;

/// What a reviewer of your rig must know, as Markdown to paste
///
/// Takes a reading as `headwater rig` does, and opens with an ALERT where something is not
/// as it should be. Then versions, upstream's newest releases and their pins, the toolkits
/// that upstream builds with, build options and public headers that changed since the rig's
/// pin (and so whether to build anew), what the rig's models run with before and after an
/// upgrade, advisories, the digest, and what is open. Nothing private is in it: no home
/// path, host name or address, and no name of a model of your own.
///
/// Exit status: 0 all as expected, 3 alert, 2 error.
///
/// Examples:
///   headwater brief
///   headwater brief --to v0.32.15 --output brief.md
///   headwater brief --stored --format json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The version to upgrade to [default: the newest that is stored]
    #[arg(long, value_name = "TAG")]
    pub to: Option<String>,
    /// Use the last reading instead of taking one
    #[arg(long)]
    pub stored: bool,
    #[command(flatten)]
    pub file: RigFileArg,
    /// Write it to this file, whole or not at all
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Leave out what is private; --public=false leaves it in
    #[arg(long, value_name = "BOOL", default_value_t = true, num_args = 0..=1, require_equals = true, default_missing_value = "true", action = clap::ArgAction::Set)]
    pub public: bool,
}

/// Reads, gathers, and prints or writes.
pub fn run(context: &Context, args: &Args) -> anyhow::Result<ExitCode> {
    // It is made to be pasted: Markdown also where no format is named.
    let format = match context.format(&[Format::Table, Format::Json, Format::Md])? {
        Format::Table => Format::Md,
        format => format,
    };
    let machine = Machine::new(context, &args.file)?;
    let mut store = match args.stored {
        true => context.open()?,
        false => context.open_or_create()?,
    };
    let stored = match args.stored {
        true => machine.last(&store)?.with_context(|| {
            format!("no reading of {:?} is kept; `headwater rig` takes one", machine.rig.name)
        })?,
        false => machine.read(&mut store)?,
    };
    let rig = machine.compare(&mut store, &stored)?;
    let code = status(&rig);
    let scrub = if args.public { Some(machine.scrub(&store, &rig)?) } else { None };
    let before = rig.before.as_ref().map(|before| before.taken);
    let told = gathered(context, &mut store, args, rig, before)?;
    let text = match format {
        Format::Json => render::text_without(&told, scrub.as_ref())?,
        _ => render::brief::markdown(&told, scrub.as_ref()),
    };
    match &args.output {
        Some(path) => render::write_whole(path, &text)?,
        None => render::print(&text)?,
    }
    Ok(code)
}

/// Gathers the brief. Its digest begins with this week, or with the day of the reading
/// before, whichever is earlier.
fn gathered(
    context: &Context,
    store: &mut Store,
    args: &Args,
    rig: headwater_queries::rig::RigReport,
    before: Option<DateTime<Utc>>,
) -> anyhow::Result<Brief> {
    let now = Utc::now();
    let week = Period::week(None, now)?;
    let day = before
        .filter(|before| *before < week.from)
        .map(|before| before.format("%Y-%m-%d").to_string());
    let When { period, question } = When::new(day.as_deref(), None, now)?;
    let mut upstreams = Vec::new();
    for (_, name) in store.upstream_names()? {
        upstreams.push(context.upstreams.get(&name)?);
    }
    let labelling = context.labelling()?;
    let sources = labelling.sources();
    let to = args.to.as_ref().map_or_else(String::new, |to| format!(" --to {to}"));
    let asked = BriefQuestion {
        rig,
        to: args.to.clone(),
        upstreams: &context.upstreams,
        extractors: sources.extractors,
        digest: DigestRequest {
            period,
            upstreams,
            sources,
            question,
            marks: None,
            jobs: context.question_jobs(),
        },
        question: format!("headwater brief{to}"),
        jobs: context.question_jobs(),
    };
    Ok(brief(store, asked)?)
}
