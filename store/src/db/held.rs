//! What the handles of one store share, as long as the store is the same: a server opens
//! many, and each would read the same history.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::{ListedCommit, Store, UpstreamId};
use crate::StoreError;
use crate::graph::CommitGraph;
use crate::model::Tag;
use crate::objects::Pool;

/// What was read of a store in one state.
#[derive(Default)]
pub struct Held {
    graphs: Mutex<HashMap<UpstreamId, Arc<CommitGraph>>>,
    tags: Mutex<HashMap<UpstreamId, Arc<[Tag]>>>,
    lists: Mutex<HashMap<UpstreamId, Arc<[ListedCommit]>>>,
    pools: Mutex<HashMap<String, Arc<Pool>>>,
}

impl Store {
    /// Shares what is read with all handles that are given the same. Whoever gives it sees
    /// to it that the store is as it was when it was new.
    pub fn hold(&mut self, held: Arc<Held>) {
        self.held = Some(held);
    }

    /// Every stored commit of an upstream with its parents.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn graph(&self, upstream: UpstreamId) -> Result<Arc<CommitGraph>, StoreError> {
        self.held(upstream, |held| &held.graphs, || Ok(Arc::new(self.read_graph(upstream)?)))
    }

    /// Every tag that upstream had when last looked at, in the order of names.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn tags(&self, upstream: UpstreamId) -> Result<Vec<Tag>, StoreError> {
        let read = || Ok(self.read_tags(upstream)?.into());
        Ok(self.held(upstream, |held| &held.tags, read)?.to_vec())
    }

    /// Every stored commit of an upstream, by row. The list is made where it is missing
    /// or older than the records.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn commit_list(&self, upstream: UpstreamId) -> Result<Arc<[ListedCommit]>, StoreError> {
        self.held(upstream, |held| &held.lists, || Ok(self.read_commit_list(upstream)?.into()))
    }

    /// What the readers of an upstream's objects share, where anything is shared.
    pub(super) fn pool(&self, upstream: &str) -> Option<Arc<Pool>> {
        let mut pools = self.held.as_ref()?.pools.lock().ok()?;
        Some(Arc::clone(pools.entry(upstream.to_owned()).or_default()))
    }

    /// Nothing is locked while it is read: two that ask at once read it twice.
    fn held<V: Clone>(
        &self,
        upstream: UpstreamId,
        of: impl Fn(&Held) -> &Mutex<HashMap<UpstreamId, V>>,
        read: impl FnOnce() -> Result<V, StoreError>,
    ) -> Result<V, StoreError> {
        let Some(held) = &self.held else { return read() };
        if let Ok(all) = of(held).lock()
            && let Some(known) = all.get(&upstream)
        {
            return Ok(known.clone());
        }
        let value = read()?;
        if let Ok(mut all) = of(held).lock() {
            all.insert(upstream, value.clone());
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_share_what_was_read_and_others_do_not() {
        let dir = tempfile::tempdir().unwrap();
        let mut first = Store::open_or_create(dir.path()).unwrap();
        let upstream = UpstreamId(1);
        let alone = [first.graph(upstream).unwrap(), first.graph(upstream).unwrap()];
        assert!(!Arc::ptr_eq(&alone[0], &alone[1]));
        let held = Arc::<Held>::default();
        first.hold(Arc::clone(&held));
        let mut second = Store::open(dir.path()).unwrap();
        second.hold(held);
        let one = first.graph(upstream).unwrap();
        for other in [second.graph(upstream), second.reopen().unwrap().graph(upstream)] {
            assert!(Arc::ptr_eq(&one, &other.unwrap()));
        }
        second.hold(Arc::default());
        assert!(!Arc::ptr_eq(&one, &second.graph(upstream).unwrap()));
    }
}
