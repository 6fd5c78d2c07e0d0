//! The commits of a window.

use headwater_store::upstream::Upstream;
use headwater_store::{CommitId, Store, StoredCommit};

use super::{Resolver, WindowSpec};
use crate::QueryError;

/// The stored commits of `BASE..HEAD`, newest first.
///
/// # Errors
/// Unknown or reversed ends, and those of the store.
pub fn commits(
    store: &Store,
    upstream: &Upstream,
    spec: &WindowSpec,
) -> Result<Vec<StoredCommit>, QueryError> {
    let id = store.upstream(&upstream.name)?;
    let resolver = Resolver::new(store, upstream)?;
    let (base, head) = (resolver.resolve(&spec.base)?, resolver.resolve(&spec.head)?);
    let graph = store.graph(id)?;
    let ends = (graph.node(base.commit.commit().oid), graph.node(head.commit.commit().oid));
    let (Some(base_node), Some(head_node)) = ends else { return Ok(Vec::new()) };
    let nodes = graph.between(base_node, head_node);
    if nodes.is_empty() && base_node != head_node {
        return Err(QueryError::Reversed { base: base.name, head: head.name });
    }
    let ids: Vec<CommitId> = nodes.iter().map(|node| graph.id(*node)).collect();
    Ok(store.commits(id, &ids)?)
}
