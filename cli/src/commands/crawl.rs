//! `headwater crawl`: fetch what the store lacks.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use headwater_crawler::git::{CrawlScope, CrawlSummary, GitCrawl, crawl_clone};
use headwater_crawler::progress::Progress;
use headwater_queries::derive;
use headwater_queries::why;
use headwater_queries::window::WindowSpec;
use headwater_store::Store;
use headwater_store::objects::ObjectStore;
use headwater_store::upstream::Upstream;

use super::why::Question;
use crate::context::Context;
use crate::live::{Live, Via, Wish, without_network};
use crate::progress::Shown;

/// Fetch what the store lacks of an upstream, or of models
///
/// A window comes from GitHub by git's own protocol, with only the files that answers
/// need, and the windows that its pins open with it; --via api brings the same where
/// git's protocol is closed. `headwater clone` takes all of history; with --from-git, that
/// of a clone which you have. What was stored is not fetched again, and a crawl that is
/// cut short is completed by the next.
///
/// Examples:
///   headwater crawl ollama v0.32.9..v0.32.13          one window, without a clone
///   headwater crawl ollama previous..latest --via api    the same without git's protocol
///   headwater crawl ollama v0.32.9..v0.32.13 --reports    and what others say of it
///   headwater crawl ollama --notes                    all release notes and advisories
///   headwater crawl ollama                            what is new, after a whole crawl
///   headwater crawl ollama --from-git ~/src/ollama    all of a clone's history
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
    /// Also what people wrote: release notes, advisories, the pull requests of commits
    /// whose subjects name none (a window asks for the newest of it unasked)
    #[arg(long)]
    pub notes: bool,
    /// Also what others report: issues and pull requests that name the window's versions,
    /// changes or moved knobs (with a token unasked)
    #[arg(long)]
    pub reports: bool,
    /// Read this clone, bare or not; it is never written to
    #[arg(long, value_name = "DIR")]
    pub from_git: Option<PathBuf>,
    /// How a window comes from GitHub
    #[arg(long, value_enum, default_value_t, conflicts_with = "from_git")]
    pub via: Via,
    #[command(flatten)]
    pub models: super::crawl_models::ModelArgs,
}

/// What is so after a crawl that nobody answered.
const NOT_ASKED: &str = "what was stored before is kept, so try again later";

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
    let window = window.map(WindowSpec::parse).transpose()?;
    let mut store = context.open_or_create()?;
    let progress = Shown::new();
    if args.via == Via::Api && window.is_none() {
        bail!(
            "GitHub's API gives a window and not all of history: name one (`headwater crawl {0} previous..latest --via api`), or take all by git (`headwater clone {0}`)",
            upstream.name
        );
    }
    let summary = match (args.from_git, window) {
        (None, Some(window)) => {
            let wish = Wish { asked: args.notes || args.reports, reports: args.reports };
            let live = Live::new(context, args.via)?;
            return live_window(context, &live, store, upstream, &window, wish, &progress);
        }
        (None, None) if args.notes => {
            let told = Live::new(context, Via::Git)?.all_notes(&store, upstream)?;
            for line in told.lines {
                writeln!(anstream::stdout(), "{line}")?;
            }
            if !told.answered {
                bail!("nothing was had of what people wrote of {}; {NOT_ASKED}", upstream.name);
            }
            return Ok(ExitCode::SUCCESS);
        }
        (None, None) => again(context, &mut store, upstream, &progress)?,
        (Some(dir), window) => {
            let scope = match window {
                None => CrawlScope::Whole,
                Some(window) => CrawlScope::Window { base: window.base, head: window.head },
            };
            from_clone(context, &mut store, upstream, &dir, scope, &progress)?
        }
    };
    print_summary(&store, upstream, &summary)
}

/// Fetches a window from upstream's hosts, with those that its pins open.
fn live_window(
    context: &Context,
    live: &Live<'_>,
    mut store: Store,
    upstream: &Upstream,
    window: &WindowSpec,
    wish: Wish,
    progress: &dyn Progress,
) -> anyhow::Result<ExitCode> {
    let window = live.ends(&store, upstream, window)?;
    let api = live.api()?;
    let mut brought = live.windows(&api, &mut store, upstream, &window, progress)?;
    // Which of its changes count most says a ranking without a symptom.
    let question = Question { upstream: upstream.name.clone(), window, model: None, backend: None };
    let rules = crate::answers::why::rules(context)?;
    let report = why::why(&store, &context.upstreams, &rules, &question.plain(context))?;
    let said = live.said(&api, &store, &report, wish)?;
    brought.lines.extend(said.lines);
    brought.lines.push(api.budget().to_string());
    let mut stdout = anstream::stdout();
    for line in &brought.lines {
        writeln!(stdout, "{line}")?;
    }
    writeln!(stdout, "{}", super::rebuild::sizes(&store)?)?;
    for line in &brought.failed {
        writeln!(anstream::stderr(), "headwater: {line}")?;
    }
    if !brought.answered && !said.answered && brought.failed.is_empty() {
        bail!(
            "nobody could be asked whether {} has anything new; {NOT_ASKED}; {}",
            upstream.name,
            without_network(&upstream.name)
        );
    }
    Ok(if brought.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

/// Crawls what is new from where all of history came before.
fn again(
    context: &Context,
    store: &mut Store,
    upstream: &Upstream,
    progress: &dyn Progress,
) -> anyhow::Result<CrawlSummary> {
    let objects = store.objects(&upstream.name).ok();
    if objects.as_ref().is_some_and(ObjectStore::is_whole) {
        return Live::new(context, Via::Git)?.whole(store, upstream, progress);
    }
    let borrowed = objects.and_then(|objects| objects.borrows_from());
    match borrowed.as_deref().and_then(Path::parent) {
        Some(clone) => {
            let summary = from_clone(context, store, upstream, clone, CrawlScope::Whole, progress)?;
            writeln!(
                anstream::stdout(),
                "read again from the clone that all of {} came from, and no host was asked; fetch there first for what is new upstream: git -C {} fetch --tags",
                upstream.name,
                clone.display()
            )?;
            Ok(summary)
        }
        None => bail!(
            "say what of {0} to fetch: a window (`headwater crawl {0} previous..latest`), all of history (`headwater clone {0}`), or that of a clone of https://github.com/{1} (`headwater crawl {0} --from-git DIR`)",
            upstream.name,
            upstream.repository
        ),
    }
}

fn from_clone(
    context: &Context,
    store: &mut Store,
    upstream: &Upstream,
    dir: &Path,
    scope: CrawlScope,
    progress: &dyn Progress,
) -> anyhow::Result<CrawlSummary> {
    let crawl = GitCrawl { upstream, dir, scope, jobs: context.jobs() };
    let summary = crawl_clone(store, &crawl, progress)?;
    derive_all(context, store, upstream, progress)?;
    Ok(summary)
}

/// Tells what a crawl of all of history brought.
pub fn print_summary(
    store: &Store,
    upstream: &Upstream,
    summary: &CrawlSummary,
) -> anyhow::Result<ExitCode> {
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
    writeln!(stdout, "{}", super::rebuild::sizes(store)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Derives what depends on an upstream's records: only what is new.
pub fn derive_all(
    context: &Context,
    store: &mut Store,
    upstream: &Upstream,
    progress: &dyn Progress,
) -> anyhow::Result<()> {
    let labelling = context.labelling()?;
    let mut under_way = None;
    derive::all(store, upstream, &labelling.sources(), context.jobs(), &mut |stage| {
        // A stage ends when it is dropped: before the next begins.
        under_way = None;
        under_way = Some(progress.stage(stage, None));
    })?;
    Ok(())
}
