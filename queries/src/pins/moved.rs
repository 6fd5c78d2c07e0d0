//! Which commit moved a pin to what it is.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use headwater_store::graph::{CommitGraph, NodeSet};
use headwater_store::{Content, Oid, Store, UpstreamId};

use super::PinValue;
use crate::QueryError;

/// The changes of the homes of pins, by path.
pub(super) struct Moves<'a> {
    store: &'a Store,
    upstream: UpstreamId,
    by_home: HashMap<String, Vec<Content>>,
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
        let changes = match self.by_home.entry(pin.home.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(self.store.contents(self.upstream, &pin.home)?),
        };
        let best = changes
            .iter()
            .filter(|change| change.object == pin.object)
            .filter(|change| graph.node(change.commit).is_some_and(|node| contained.contains(node)))
            .max_by_key(|change| (!change.merge, change.committed, change.commit));
        Ok(best.map(|change| change.commit))
    }
}
