//! `headwater crawl`: fetch what the store lacks.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use headwater_crawler::git::{CrawlScope, GitCrawl, crawl_clone};
use headwater_crawler::progress::Progress;
use headwater_queries::derive;
use headwater_store::Store;
use headwater_store::upstream::Upstream;

use crate::context::Context;
use crate::progress::Shown;

/// Fetch what the store lacks of an upstream
///
/// The first crawl takes all of history; later ones only what is new. One that is cut
/// short is completed by the next.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The upstream: ollama, llama.cpp, or one that a file of yours declares
    pub upstream: String,
    /// One window (BASE..HEAD) instead of all of history
    pub window: Option<String>,
    /// Read this clone, bare or not; it is never written to
    #[arg(long, value_name = "DIR")]
    pub from_git: Option<PathBuf>,
}

/// Crawls, then derives what depends on it.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let upstream = context.upstreams.get(&args.upstream)?;
    let Some(dir) = args.from_git else {
        bail!(
            "say where to read {0} from: `headwater crawl {0} --from-git DIR` with a clone of https://github.com/{1}",
            upstream.name,
            upstream.repository
        );
    };
    let scope = match args.window.as_deref() {
        None => CrawlScope::Whole,
        Some(text) => {
            let window = headwater_queries::window::WindowSpec::parse(text)?;
            CrawlScope::Window { base: window.base, head: window.head }
        }
    };
    let mut store = context.open_or_create()?;
    let progress = Shown::new();
    let crawl = GitCrawl { upstream, dir: &dir, scope, jobs: context.jobs() };
    let summary = crawl_clone(&mut store, &crawl, &progress)?;
    derive_all(context, &mut store, upstream, &progress)?;
    let mut stdout = anstream::stdout();
    writeln!(
        stdout,
        "{}: {} commits in scope, {} new; {} new tags; head {}{}",
        upstream.name,
        summary.commits,
        summary.new_commits,
        summary.new_tags,
        summary.head.short(),
        match summary.missing {
            0 => String::new(),
            n => format!("; the clone lacks {n} objects, each is a recorded gap"),
        }
    )?;
    writeln!(stdout, "{}", super::rebuild::sizes(&store)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Derives what depends on an upstream's records: only what is new.
pub fn derive_all(
    context: &Context,
    store: &mut Store,
    upstream: &Upstream,
    progress: &dyn Progress,
) -> anyhow::Result<()> {
    let stage = progress.stage("places and tags", None);
    derive::places::derive(store, upstream)?;
    drop(stage);
    let stage = progress.stage("default events", None);
    derive::default_events::derive(store, upstream, &context.extractors()?, context.jobs())?;
    drop(stage);
    let stage = progress.stage("exact index", None);
    store.update_exact(context.jobs())?;
    store.commit_list(store.upstream(&upstream.name)?)?;
    drop(stage);
    let stage = progress.stage("labels", None);
    let sources = derive::labels::Sources {
        rules: &context.rule_texts()?,
        extractors: &context.extractors()?,
    };
    derive::labels::derive(store, upstream, &sources, context.jobs())?;
    drop(stage);
    let stage = progress.stage("ranking", None);
    derive::ranking::derive(store, &upstream.name, context.jobs())?;
    drop(stage);
    let stage = progress.stage("full-text index", None);
    store.update_search(context.jobs())?;
    drop(stage);
    Ok(())
}
