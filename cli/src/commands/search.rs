//! `headwater search`: ranked full text.

use std::process::ExitCode;

use anyhow::bail;
use headwater_queries::search::SearchRequest;
use headwater_queries::window::WindowSpec;

use super::filter::FilterArgs;
use crate::answers;
use crate::args::Format;
use crate::context::Context;
use crate::render;

/// Find commits by words: ranked, over messages, paths and patches
///
/// Names are found whole and by their parts: repeat_penalty, RepeatPenalty, --flash-attn,
/// v0.32.13 and #17679 as they stand, and by penalty, flash, 0.32 and 17679. A commit that
/// has every word comes before one that has some. "words in quotation marks" must stand
/// side by side in a message. A word may name where it is to stand: subject:, message:,
/// path:, author:, added:, removed:, upstream:.
///
/// What people wrote is found too, where it is stored: release notes, pull requests,
/// issues, advisories (`headwater crawl ollama --notes`).
///
/// This is for finding, never for absence: what it does not find may be there. `headwater
/// grep` proves that something is not; the answer names the command. Exit status: 0 found,
/// 1 nothing found, 2 error.
///
/// Examples:
///   headwater search repeat penalty default
///   headwater search 'subject:flash path:server' --upstream ollama
///   headwater search --since 2026-08-01 --class cuda graphs
///   headwater search -- --flash-attn
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// What to look for
    #[arg(value_name = "WORDS", required = true)]
    pub words: Vec<String>,
    /// At most so many commits
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub limit: usize,
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Only commits of this window
    #[arg(long, value_name = "BASE..HEAD")]
    pub window: Option<String>,
}

/// Searches and prints.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md])?;
    if args.limit == 0 {
        bail!("--limit 0 shows nothing; give 1 or more");
    }
    let store = context.open()?;
    let window = args.window.as_deref().map(WindowSpec::parse).transpose()?;
    let request = SearchRequest {
        query: args.words.join(" "),
        upstreams: args.filter.upstreams(context, &store)?,
        filter: args.filter.filter(window, true)?,
        limit: args.limit,
        jobs: context.jobs(),
    };
    let answer = answers::search::ask(context, &store, &args.filter, &request)?;
    render::search::answer(&answer, format)?;
    Ok(ExitCode::from(u8::from(
        answer.hits.is_empty() && answer.tags.is_empty() && answer.statements.is_empty(),
    )))
}
