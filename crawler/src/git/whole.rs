//! All of an upstream's history in an object store of headwater's own.

use headwater_store::git;
use headwater_store::objects::ObjectStore;
use headwater_store::upstream::Upstream;
use headwater_store::{Store, StoreError};

use super::clone::Clone;
use super::crawl::CrawlSummary;
use super::record::{Recording, Scope, Source};
use super::remote::Remote;
use crate::CrawlError;
use crate::progress::Progress;

/// Fetches all of an upstream's history, or what is new of it, and stores what the store
/// lacks. What one window or a clone brought before is replaced only when everything is
/// there.
///
/// # Errors
/// [`CrawlError::Remote`], and those of the store. What was there before stays.
pub fn clone_whole(
    store: &mut Store,
    upstream: &Upstream,
    remote: &Remote,
    jobs: usize,
    progress: &dyn Progress,
) -> Result<CrawlSummary, CrawlError> {
    let dir = store.objects_dir(&upstream.name);
    let known = ObjectStore::open(&dir, &upstream.name).is_ok_and(|own| own.is_whole());
    let stage = progress.stage("fetching history", None);
    if known {
        remote.fetch_all(&dir, &upstream.branch)?;
    } else {
        let fresh = dir.with_extension("fetching");
        let io = |path: &std::path::Path| {
            let path = path.to_owned();
            move |source| CrawlError::Store(StoreError::Io { path, source })
        };
        // An earlier attempt that was cut short left no objects that git would go on with.
        if fresh.exists() {
            std::fs::remove_dir_all(&fresh).map_err(io(&fresh))?;
        }
        let own = ObjectStore::open_or_create(&fresh, &upstream.name)?;
        remote.fetch_all(&fresh, &upstream.branch)?;
        own.mark_whole()?;
        if dir.exists() {
            let old = dir.with_extension("old");
            if old.exists() {
                std::fs::remove_dir_all(&old).map_err(io(&old))?;
            }
            std::fs::rename(&dir, &old).map_err(io(&dir))?;
            std::fs::rename(&fresh, &dir).map_err(io(&fresh))?;
            std::fs::remove_dir_all(&old).map_err(io(&old))?;
        } else {
            std::fs::rename(&fresh, &dir).map_err(io(&fresh))?;
        }
    }
    drop(stage);
    crawl_own(store, upstream, remote.url(), jobs, progress)
}

/// Stores what the store lacks of the history in headwater's own object store.
fn crawl_own(
    store: &mut Store,
    upstream: &Upstream,
    url: &str,
    jobs: usize,
    progress: &dyn Progress,
) -> Result<CrawlSummary, CrawlError> {
    let dir = store.objects_dir(&upstream.name);
    let objects = ObjectStore::open(&dir, &upstream.name)?;
    let clone = Clone::open(&dir, upstream)?;
    let source = Source {
        transport: "git-http",
        place: url.to_owned(),
        branch: clone.branch_head(&upstream.branch)?,
        tags: clone.tags()?,
    };
    // The packs that fetches bring are read for years: one is quicker than many.
    let packs = std::fs::read_dir(dir.join("objects").join("pack"));
    let packs = packs.map_or(0, |entries| {
        entries.flatten().filter(|e| e.path().extension().is_some_and(|x| x == "pack")).count()
    });
    if packs > 20 {
        git::output(&dir, &["repack", "-a", "-d", "--quiet"])?;
    }
    Recording {
        upstream,
        objects: &objects,
        source,
        scope: Scope::Whole,
        lacking: Vec::new(),
        jobs,
    }
    .run(store, progress)
}
