//! A window's ends and what lies between them: resolved and checked in one place.

use std::sync::Arc;

use headwater_store::graph::{CommitGraph, Node};
use headwater_store::upstream::Upstream;
use headwater_store::{CommitId, Store, UpstreamId};

use super::{Resolved, Resolver, WindowSpec};
use crate::QueryError;

/// A window whose ends are stored and stand the right way round.
pub struct Span {
    /// The upstream's row.
    pub upstream: UpstreamId,
    /// The older end, which is not in the window.
    pub base: Resolved,
    /// The newer end.
    pub head: Resolved,
    /// The upstream's history.
    pub graph: Arc<CommitGraph>,
    /// Where `base` stands in it.
    pub base_node: Node,
    /// Where `head` stands in it.
    pub head_node: Node,
    /// The commits of the window, newest first.
    pub nodes: Vec<Node>,
    /// How many commits `base` has that `head` lacks.
    pub behind: usize,
}

impl Span {
    /// The rows of the window's commits, newest first.
    pub fn ids(&self) -> Vec<CommitId> {
        self.nodes.iter().map(|node| self.graph.id(*node)).collect()
    }

    /// What output calls it: `ollama v1..v2`.
    pub fn name(&self, upstream: &Upstream) -> String {
        format!("{} {}..{}", upstream.name, self.base.name, self.head.name)
    }
}

/// Finds the ends of `BASE..HEAD` and the commits between them.
///
/// # Errors
/// Unknown, reversed or missing ends, and those of the store.
pub fn span(store: &Store, upstream: &Upstream, spec: &WindowSpec) -> Result<Span, QueryError> {
    let id = store.upstream(&upstream.name)?;
    span_in(store, upstream, spec, store.graph(id)?)
}

/// As [`span`], in a history that was read already.
///
/// # Errors
/// As [`span`].
pub fn span_in(
    store: &Store,
    upstream: &Upstream,
    spec: &WindowSpec,
    graph: Arc<CommitGraph>,
) -> Result<Span, QueryError> {
    let id = store.upstream(&upstream.name)?;
    let resolver = Resolver::new(store, upstream)?;
    let missing = |what: &str| QueryError::NotStored {
        upstream: upstream.name.clone(),
        what: what.to_owned(),
        scope: spec.to_string(),
    };
    let resolve = |name: &str| {
        resolver.resolve(name).map_err(|error| match error {
            QueryError::NotStored { what, .. } => missing(&what),
            other => other,
        })
    };
    let (base, head) = (resolve(&spec.base)?, resolve(&spec.head)?);
    let node =
        |end: &Resolved| graph.node(end.commit.commit().oid).ok_or_else(|| missing(&end.name));
    let (base_node, head_node) = (node(&base)?, node(&head)?);
    let nodes = graph.between(base_node, head_node);
    let behind = graph.between(head_node, base_node).len();
    // Release branches make both sides hold something: the older end that lacks more is
    // BASE, whichever was named first.
    let older = head.commit.commit().committed < base.commit.commit().committed;
    if behind > 0 && (nodes.is_empty() || (older && behind > nodes.len())) {
        return Err(QueryError::Reversed { base: base.name, head: head.name });
    }
    Ok(Span { upstream: id, base, head, graph, base_node, head_node, nodes, behind })
}
