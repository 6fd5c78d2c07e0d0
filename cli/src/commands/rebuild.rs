//! `headwater rebuild`: make derived things anew.

use std::io::Write as _;
use std::process::ExitCode;

use clap::ValueEnum;
use headwater_crawler::progress::Progress as _;
use headwater_queries::{QueryError, derive};
use headwater_store::Store;
use headwater_store::upstream::Upstream;

use crate::context::Context;
use crate::progress::Shown;

/// Make indexes and derived tables anew, out of the records
///
/// SQLite holds the records; everything else in the store is made from them and can be
/// dropped. Crawls keep it up, and questions repair an index that lags behind, so that this
/// is needed only where `headwater doctor` says so, or a rule file of yours changed.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to make anew [default: all]
    #[arg(value_enum, value_name = "WHAT")]
    pub what: Vec<What>,
}

/// What can be made anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// The index that `grep` asks
    Exact,
    /// The index that `search` asks
    Search,
    /// The classes of commits
    Labels,
    /// The default events
    Defaults,
    /// What ranks candidates
    Ranking,
    /// First tags, and which commits the branch has
    Places,
    /// Everything
    All,
}

/// Rebuilds, a stage each.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let asked = |what: What| {
        args.what.is_empty() || args.what.contains(&what) || args.what.contains(&What::All)
    };
    // Each stage is shown as one.
    let mut store = context.open_to_write()?;
    let progress = Shown::new();
    let mut upstreams: Vec<&Upstream> = Vec::new();
    for (_, name) in store.upstream_names()? {
        upstreams.push(context.upstreams.get(&name)?);
    }
    let jobs = context.jobs();
    if asked(What::Defaults) {
        // They are made from files: nothing is forgotten that could not be made again.
        for upstream in &upstreams {
            if let Some(dir) = store.objects(&upstream.name)?.lost_clone() {
                let (upstream, dir) = (upstream.name.clone(), dir.display().to_string());
                return Err(QueryError::LostClone { upstream, dir }.into());
            }
        }
    }
    if asked(What::Places) {
        let _stage = progress.stage("places and tags", None);
        store.forget_derivation("places")?;
        for upstream in &upstreams {
            derive::places::derive(&mut store, upstream)?;
        }
    }
    if asked(What::Defaults) {
        let _stage = progress.stage("default events", None);
        store.forget_derivation("default-events")?;
        let extractors = context.extractors()?;
        for upstream in &upstreams {
            derive::default_events::derive(&mut store, upstream, &extractors, jobs)?;
        }
    }
    if asked(What::Exact) {
        let _stage = progress.stage("exact index", None);
        store.rebuild_exact(jobs)?;
        for upstream in &upstreams {
            store.commit_list(store.upstream(&upstream.name)?)?;
        }
    }
    if asked(What::Labels) {
        let _stage = progress.stage("labels", None);
        store.forget_derivation("labels")?;
        let labelling = context.labelling()?;
        for upstream in &upstreams {
            derive::labels::derive(&mut store, upstream, &labelling.sources(), jobs)?;
        }
    }
    if asked(What::Ranking) {
        let _stage = progress.stage("ranking", None);
        store.forget_derivation("ranking")?;
        for upstream in &upstreams {
            derive::ranking::derive(&mut store, &upstream.name, jobs)?;
        }
    }
    if asked(What::Search) {
        let _stage = progress.stage("full-text index", None);
        store.rebuild_search(jobs)?;
    }
    let mut stdout = anstream::stdout();
    writeln!(stdout, "{}", sizes(&store)?)?;
    Ok(ExitCode::SUCCESS)
}

/// How large the indexes are.
pub fn sizes(store: &Store) -> anyhow::Result<String> {
    let told = |state: headwater_store::IndexState| match state {
        headwater_store::IndexState::Current(bytes) => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => "not up to date".to_owned(),
    };
    let (exact, search) = (store.exact_state()?, store.search_state()?);
    Ok(format!("exact index: {}; full-text index: {}", told(exact), told(search)))
}
