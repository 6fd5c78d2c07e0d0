//! `headwater clone`: all of an upstream's history, without a clone of the user's.

use std::process::ExitCode;

use crate::commands::crawl::print_summary;
use crate::context::Context;
use crate::live::{Live, Via};
use crate::progress::Shown;

/// Take all of an upstream's history into the store
///
/// Fetches the default branch and every tag from GitHub by git's own protocol, with all
/// files, into headwater's own object store, and crawls it. Ollama's is about 170 MB,
/// llama.cpp's about 460 MB; both need no clone beside it. Windows that were fetched
/// before stay answered, and later crawls fetch only what is new.
///
/// Examples:
///   headwater clone ollama
///   headwater crawl ollama        later: what is new
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The upstream: ollama, llama.cpp, or one that a file of yours declares
    pub upstream: String,
}

/// Fetches, crawls and derives.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let upstream = context.upstreams.get(&args.upstream)?;
    let mut store = context.open_or_create()?;
    let summary = Live::new(context, Via::Git)?.whole(&mut store, upstream, &Shown::new())?;
    print_summary(&store, upstream, &summary)
}
