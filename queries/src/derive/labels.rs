//! The classes of commits, by the rules: only what is new, or all when rules changed.

use headwater_store::model::Label;
use headwater_store::{CommitId, Store, StoredPatch, UpstreamId};

use crate::QueryError;
use crate::classify::{Fact, Rules};

/// How many commits are labelled between two transactions.
const BATCH: usize = 2000;

/// Labels an upstream's commits that are not yet, or all where the rules are others than
/// those that made the labels; tells how many were labelled.
///
/// Merges whose texts were left in the object store get no label: what they bring has its
/// own commits.
///
/// # Errors
/// Those of the store.
pub fn derive(
    store: &mut Store,
    upstream: &str,
    rules: &Rules,
    jobs: usize,
) -> Result<usize, QueryError> {
    let id = store.upstream(upstream)?;
    let hash = rules.hash();
    let state = store.derivation("labels", id)?;
    let current = state.filter(|state| state.rules == hash);
    let mut anew = current.is_none();
    let after = current.map_or(CommitId::NONE, |state| state.through);
    let ids = store.commit_ids_after(id, after)?;
    if ids.is_empty() && !anew {
        return Ok(0);
    }
    let batches: Vec<&[CommitId]> =
        if ids.is_empty() { vec![&[]] } else { ids.chunks(BATCH).collect() };
    for batch in batches {
        let labels = label(store, id, upstream, rules, batch, jobs)?;
        let through = batch.last().copied().unwrap_or(after);
        store.write_labels(id, &hash, anew, through, &labels)?;
        anew = false;
    }
    Ok(ids.len())
}

fn label(
    store: &Store,
    id: UpstreamId,
    upstream: &str,
    rules: &Rules,
    ids: &[CommitId],
    jobs: usize,
) -> Result<Vec<(CommitId, Vec<Label>)>, QueryError> {
    let facts = |_: &StoredPatch| -> Vec<Fact> { Vec::new() };
    let one = |patch: StoredPatch| {
        let labels = if patch.is_deferred() {
            Vec::new()
        } else {
            rules.classify(upstream, patch.patch(), &facts(&patch))
        };
        (patch.stored().id(), labels)
    };
    Ok(store.map_patches(id, ids, jobs, one)?)
}

/// The labels of one commit by these rules, whatever the store says: how a rule's author
/// sees what it does.
///
/// # Errors
/// Those of the store.
pub fn label_one(
    store: &Store,
    upstream: &str,
    rules: &Rules,
    commit: headwater_store::StoredCommit,
) -> Result<Vec<Label>, QueryError> {
    let id = store.upstream(upstream)?;
    let labels = label(store, id, upstream, rules, &[commit.id()], 1)?;
    Ok(labels.into_iter().flat_map(|(_, labels)| labels).collect())
}
