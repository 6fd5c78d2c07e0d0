//! Which commit set a default that holds at a version.

use std::collections::HashMap;

use headwater_store::{CommitId, Oid, Store, UpstreamId};

use crate::QueryError;

/// The last commit that set each knob, as seen from one commit.
#[derive(Debug, Default)]
pub(crate) struct Since {
    by_knob: HashMap<(String, String), Oid>,
}

impl Since {
    /// Over all that a commit reaches.
    pub(crate) fn read(store: &Store, upstream: UpstreamId, at: Oid) -> Result<Self, QueryError> {
        let graph = store.graph(upstream)?;
        let reached = graph.reachable(graph.node(at));
        let commits: HashMap<CommitId, (i64, Oid)> = graph
            .nodes()
            .filter(|node| reached.contains(*node))
            .map(|node| (graph.id(node), (graph.committed(node), graph.oid(node))))
            .collect();
        let mut last: HashMap<(String, String), (i64, Oid)> = HashMap::new();
        for row in store.default_events(upstream)?.into_iter().filter(|row| row.new.is_some()) {
            let Some((time, oid)) = commits.get(&row.commit).copied() else { continue };
            let slot = last.entry((row.knob, row.scope)).or_insert((time, oid));
            if time >= slot.0 {
                *slot = (time, oid);
            }
        }
        let by_knob = last.into_iter().map(|(knob, (_, oid))| (knob, oid)).collect();
        Ok(Since { by_knob })
    }

    /// The commit that set a knob.
    pub(crate) fn of(&self, knob: &str, scope: &str) -> Option<Oid> {
        self.by_knob.get(&(knob.to_owned(), scope.to_owned())).copied()
    }
}
