//! Gathering a window's commits.

use std::collections::{HashMap, HashSet};

use headwater_store::graph::CommitGraph;
use headwater_store::upstream::Upstream;
use headwater_store::{Oid, Scope, Store, StoredPatch};

use super::report::WindowReport;
use crate::QueryError;
use crate::window::{How, Resolved, Span, WindowSpec, span};

/// A window with its commits.
pub(super) struct Collected<'a> {
    pub(super) upstream: &'a Upstream,
    pub(super) base: Resolved,
    pub(super) head: Resolved,
    pub(super) graph: CommitGraph,
    pub(super) report: WindowReport,
    pub(super) patches: Vec<StoredPatch>,
    /// Commits of the window whose change BASE has already, with the twin that BASE has.
    pub(super) shipped: HashMap<Oid, Oid>,
}

/// Collects `base..head` of an upstream.
pub(super) fn collect<'a>(
    store: &'a Store,
    upstream: &'a Upstream,
    spec: &WindowSpec,
    jobs: usize,
) -> Result<Collected<'a>, QueryError> {
    let span = span(store, upstream, spec)?;
    let (ids, name) = (span.ids(), span.name(upstream));
    let (reported, missing) = span.counted(store, upstream)?;
    let Span { upstream: id, base, head, graph, base_node, nodes, behind, .. } = span;
    let patches = store.map_patches(id, &ids, jobs, |patch| patch)?;

    let from_base = graph.reachable([base_node]);
    let mut shipped = HashMap::new();
    if behind > 0 {
        let inside: HashSet<Oid> = nodes.iter().map(|node| graph.oid(*node)).collect();
        for patch in &patches {
            let twins = store.twins(patch.stored())?;
            let twin = twins.into_iter().find(|twin| {
                !inside.contains(twin) && graph.node(*twin).is_some_and(|n| from_base.contains(n))
            });
            if let Some(twin) = twin {
                shipped.insert(patch.stored().commit().oid, twin);
            }
        }
    }
    let coverage =
        store.coverage(Scope { upstream: id, name, commits: &ids, reported, missing })?;
    let counted = |end: &Resolved| {
        (end.how == How::Counted).then(|| {
            format!(
                "{} has no tag here: it is the commit that {} commits can be reached from",
                end.name,
                end.name.trim_start_matches(|c: char| !c.is_ascii_digit())
            )
        })
    };
    let report = WindowReport {
        upstream: upstream.name.clone(),
        base: base.name.clone(),
        head: head.name.clone(),
        base_sha: base.commit.commit().oid,
        head_sha: head.commit.commit().oid,
        status: match (nodes.len(), behind) {
            (0, _) => "identical",
            (_, 0) => "ahead",
            _ => "diverged",
        },
        commits: nodes.len(),
        behind,
        already_shipped: shipped.len(),
        new: nodes.len() - shipped.len(),
        head_date: head.commit.commit().committed,
        coverage,
        notes: [counted(&base), counted(&head)].into_iter().flatten().collect(),
    };
    Ok(Collected { upstream, base, head, graph, report, patches, shipped })
}
