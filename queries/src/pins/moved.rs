//! Which commit moved a pin to what it is.

use std::collections::HashMap;

use headwater_store::graph::{CommitGraph, NodeSet};
use headwater_store::{CommitId, Oid, Store, UpstreamId};

use super::PinValue;
use crate::QueryError;

/// The changes of the homes of pins, by path.
pub(super) struct Moves<'a> {
    store: &'a Store,
    upstream: UpstreamId,
    by_home: HashMap<String, Vec<Change>>,
}

#[derive(Debug, Clone)]
struct Change {
    oid: Oid,
    committed: i64,
    merge: bool,
    object: Oid,
}

impl<'a> Moves<'a> {
    pub(super) fn new(store: &'a Store, upstream: UpstreamId) -> Self {
        Moves { store, upstream, by_home: HashMap::new() }
    }

    /// The last commit that the tag contains and that gave the home this content. A merge
    /// that brings the same content counts only where no other commit does.
    pub(super) fn mover(
        &mut self,
        pin: &PinValue,
        graph: &CommitGraph,
        contained: &NodeSet,
    ) -> Result<Option<Oid>, QueryError> {
        if !self.by_home.contains_key(&pin.home) {
            let changes = self.changes(&pin.home)?;
            self.by_home.insert(pin.home.clone(), changes);
        }
        let changes = self.by_home.get(&pin.home).map_or(&[][..], Vec::as_slice);
        let best = changes
            .iter()
            .filter(|change| change.object == pin.object)
            .filter(|change| graph.node(change.oid).is_some_and(|node| contained.contains(node)))
            .max_by_key(|change| (!change.merge, change.committed, change.oid));
        Ok(best.map(|change| change.oid))
    }

    fn changes(&self, home: &str) -> Result<Vec<Change>, QueryError> {
        let ids: Vec<CommitId> = self.store.commits_touching(self.upstream, home)?;
        let mut changes = Vec::new();
        for patch in self.store.patches(self.upstream, &ids)? {
            let commit = patch.stored().commit();
            let object = patch.patch().files.iter().find(|f| f.path == home).map(|f| f.new_blob);
            if let Some(object) = object {
                changes.push(Change {
                    oid: commit.oid,
                    committed: commit.committed.timestamp(),
                    merge: commit.is_merge(),
                    object,
                });
            }
        }
        Ok(changes)
    }
}
