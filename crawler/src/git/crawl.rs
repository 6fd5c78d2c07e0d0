//! A crawl of a clone: what the store lacks, and nothing else.

use std::path::Path;

use headwater_store::objects::ObjectStore;
use headwater_store::upstream::Upstream;
use headwater_store::{Oid, Store, StoreError};

use super::clone::Clone;
use super::record::{Recording, Scope, Source};
use super::window::WindowCrawl;
use crate::CrawlError;
use crate::progress::Progress;
use crate::transport::{Transport, Wanted};

/// What of a clone to crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CrawlScope {
    /// The default branch and all tags.
    Whole,
    /// The commits on either side of two revisions, and the older end itself.
    Window {
        /// The older end.
        base: String,
        /// The newer end.
        head: String,
    },
}

/// A crawl to be made.
pub struct GitCrawl<'a> {
    /// The upstream.
    pub upstream: &'a Upstream,
    /// The directory of a clone, bare or not.
    pub dir: &'a Path,
    /// What of it.
    pub scope: CrawlScope,
    /// How many git processes and threads may run at once.
    pub jobs: usize,
}

/// What a crawl brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlSummary {
    /// Commits in scope.
    pub commits: u64,
    /// Commits that the store did not have.
    pub new_commits: u64,
    /// Tags that were new, moved or gone.
    pub new_tags: u64,
    /// The head of the default branch.
    pub head: Oid,
    /// Objects that the clone lacks.
    pub missing: u64,
}

/// How many stored commits are looked for in a clone before it counts as another's.
const SAMPLE: usize = 2_000;

/// Refuses a clone of another repository: what it holds would be told as the upstream's,
/// and could not be told apart afterwards.
fn refuse_others(
    store: &Store,
    clone: &Clone,
    head: Oid,
    crawl: &GitCrawl<'_>,
) -> Result<(), CrawlError> {
    let stored = match store.upstream(&crawl.upstream.name) {
        // Nothing new is the usual case, and needs no look at the others.
        Ok(id) if store.commit(id, head)?.is_some() => return Ok(()),
        Ok(id) => store.commit_oids(id)?,
        Err(StoreError::NotCrawled(_)) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let step = stored.len().div_ceil(SAMPLE).max(1);
    if stored.is_empty() || clone.has_any(stored.into_iter().step_by(step))? {
        return Ok(());
    }
    Err(CrawlError::OtherHistory {
        dir: crawl.dir.to_owned(),
        upstream: crawl.upstream.name.clone(),
        repository: crawl.upstream.repository.clone(),
    })
}

/// Crawls a clone into the store.
///
/// # Errors
/// Where the clone cannot be read or the store not written. What was stored is kept, and
/// the next crawl goes on from there.
pub fn crawl_clone(
    store: &mut Store,
    crawl: &GitCrawl<'_>,
    progress: &dyn Progress,
) -> Result<CrawlSummary, CrawlError> {
    let upstream = crawl.upstream;
    let clone = Clone::open(crawl.dir, upstream)?;
    refuse_others(store, &clone, clone.branch_head(&upstream.branch)?, crawl)?;
    match &crawl.scope {
        CrawlScope::Whole => crawl_whole(store, upstream, &clone, crawl.jobs, progress),
        CrawlScope::Window { base, head } => WindowCrawl {
            upstream,
            transport: &clone,
            refs: clone.refs(upstream, None)?,
            base: (base.clone(), clone.resolve(base)?),
            head: (head.clone(), clone.resolve(head)?),
            said: None,
            // Whatever a clone lacks of its trees, it lacks for good.
            at_ends: &|_| false,
            jobs: crawl.jobs,
        }
        .run(store, progress),
    }
}

/// Brings all of an upstream's history, or what is new of it, and stores what the store
/// lacks.
///
/// # Errors
/// Those of the transport and of the store. What was there before stays.
pub fn crawl_whole(
    store: &mut Store,
    upstream: &Upstream,
    transport: &dyn Transport,
    jobs: usize,
    progress: &dyn Progress,
) -> Result<CrawlSummary, CrawlError> {
    let objects = ObjectStore::open_or_create(&store.objects_dir(&upstream.name), &upstream.name)?;
    let stage = progress.stage("fetching history", None);
    let brought = transport.history(&objects, &Wanted::Whole(&upstream.branch))?;
    drop(stage);
    Recording {
        upstream,
        objects: &objects,
        source: Source {
            transport: transport.name(),
            place: transport.place(),
            refs: transport.refs(upstream, None)?,
        },
        scope: Scope::Whole,
        lacking: Vec::new(),
        brought,
        jobs,
    }
    .run(store, progress)
}
