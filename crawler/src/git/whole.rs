//! All of an upstream's history in an object store of headwater's own.

use std::path::{Path, PathBuf};

use headwater_store::git;
use headwater_store::objects::ObjectStore;
use headwater_store::upstream::Upstream;
use headwater_store::{Oid, Store, StoreError};

use super::clone::Clone;
use super::remote::Remote;
use crate::CrawlError;
use crate::transport::{Brought, Refs, Transport, Wanted};

/// All of a repository on a host, fetched into the object store itself. What one window
/// or a clone brought before is replaced only when everything is there.
pub struct WholeClone<'a> {
    remote: &'a Remote,
    dir: PathBuf,
}

impl<'a> WholeClone<'a> {
    /// The repository of an upstream, for this store.
    pub fn new(store: &Store, upstream: &Upstream, remote: &'a Remote) -> Self {
        WholeClone { remote, dir: store.objects_dir(&upstream.name) }
    }
}

impl Transport for WholeClone<'_> {
    fn name(&self) -> &'static str {
        self.remote.name()
    }

    fn place(&self) -> String {
        self.remote.place()
    }

    /// The refs that came, and not those that the host shows meanwhile.
    fn refs(&self, upstream: &Upstream, ends: Option<[&str; 2]>) -> Result<Refs, CrawlError> {
        Clone::open(&self.dir, upstream)?.refs(upstream, ends)
    }

    fn history(&self, objects: &ObjectStore, wanted: &Wanted<'_>) -> Result<Brought, CrawlError> {
        if objects.is_whole() {
            self.remote.history(objects, wanted)?;
            repacked(&self.dir)?;
            return Ok(Brought::default());
        }
        let fresh = self.dir.with_extension("fetching");
        // An earlier attempt that was cut short left no objects that git would go on with.
        removed(&fresh)?;
        let own = ObjectStore::open_or_create(&fresh, "upstream")?;
        self.remote.history(&own, wanted)?;
        own.mark_whole()?;
        let old = self.dir.with_extension("old");
        removed(&old)?;
        std::fs::rename(&self.dir, &old).map_err(io(&self.dir))?;
        std::fs::rename(&fresh, &self.dir).map_err(io(&fresh))?;
        removed(&old)?;
        Ok(Brought::default())
    }

    fn files(&self, _objects: &ObjectStore, _blobs: &[Oid]) -> Result<Vec<Oid>, CrawlError> {
        Ok(Vec::new()) // they came with the history
    }
}

fn io(path: &Path) -> impl Fn(std::io::Error) -> CrawlError {
    let path = path.to_owned();
    move |source| CrawlError::Store(StoreError::Io { path: path.clone(), source })
}

fn removed(dir: &Path) -> Result<(), CrawlError> {
    if dir.exists() { std::fs::remove_dir_all(dir).map_err(io(dir)) } else { Ok(()) }
}

/// The packs that fetches bring are read for years: one is quicker than many.
fn repacked(dir: &Path) -> Result<(), CrawlError> {
    let packs = std::fs::read_dir(dir.join("objects").join("pack"));
    let packs = packs.map_or(0, |entries| {
        entries.flatten().filter(|e| e.path().extension().is_some_and(|x| x == "pack")).count()
    });
    if packs > 20 {
        git::output(dir, &["repack", "-a", "-d", "--quiet"])?;
    }
    Ok(())
}
