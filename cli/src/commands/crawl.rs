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

/// Fetch what the store lacks of an upstream, or of models
///
/// The first crawl takes all of history; later ones only what is new. One that is cut
/// short is completed by the next.
///
/// Examples:
///   headwater crawl ollama --from-git ~/src/ollama
///   headwater crawl models gemma4:26b qwen3.6:27b     what the registry publishes of them
///   headwater crawl models gemma4 --tags              all tags of one
///   headwater crawl models                            those that are stored, once more
///   headwater crawl models --installed                those on this machine
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The upstream: ollama, llama.cpp, or one that a file of yours declares; or `models`
    pub upstream: String,
    /// One window (BASE..HEAD) instead of all of history; or names of models
    #[arg(value_name = "WINDOW|MODEL")]
    pub what: Vec<String>,
    /// Read this clone, bare or not; it is never written to
    #[arg(long, value_name = "DIR")]
    pub from_git: Option<PathBuf>,
    #[command(flatten)]
    pub models: super::crawl_models::ModelArgs,
}

/// Crawls, then derives what depends on it.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    if args.upstream == headwater_store::MODELS {
        if args.from_git.is_some() {
            bail!("models come from a registry, not from a clone: leave --from-git out");
        }
        return super::crawl_models::run(context, &args.what, &args.models);
    }
    args.models.refuse_for(&args.upstream)?;
    let window = match args.what.as_slice() {
        [] => None,
        [one] => Some(one.as_str()),
        [_, more, ..] => bail!("one window at a time; what is {more:?}?"),
    };
    let upstream = context.upstreams.get(&args.upstream)?;
    let Some(dir) = args.from_git else {
        bail!(
            "say where to read {0} from: `headwater crawl {0} --from-git DIR` with a clone of https://github.com/{1}",
            upstream.name,
            upstream.repository
        );
    };
    let scope = match window {
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
    let extractors = context.extractors()?;
    let stage = progress.stage("default events", None);
    derive::default_events::derive(store, upstream, &extractors, context.jobs())?;
    drop(stage);
    let stage = progress.stage("exact index", None);
    store.update_exact(context.jobs())?;
    store.commit_list(store.upstream(&upstream.name)?)?;
    drop(stage);
    let stage = progress.stage("labels", None);
    let rules = context.rule_texts()?;
    let sources = derive::labels::Sources { rules: &rules, extractors: &extractors };
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
