//! The ranking's input out of a store: features of a window's commits, the counts of a
//! question's words, and what later commits say.

use headwater_store::{CommitId, Store, StoredCommit, UpstreamId};

use super::corpus::CorpusStats;
use super::encode::{decode, kind_of};
use super::facets::Facets;
use super::features::{CommitFeatures, Reader};
use super::question::Question;
use super::score::Later;
use super::words;
use crate::QueryError;

/// The features of these commits, in their order. Those that were not derived yet are
/// read from their patches.
///
/// # Errors
/// Those of the store.
pub fn features(
    store: &Store,
    facets: &Facets,
    commits: &[StoredCommit],
) -> Result<Vec<CommitFeatures>, QueryError> {
    let ids: Vec<CommitId> = commits.iter().map(StoredCommit::id).collect();
    let kept = store.ranking_features(&ids)?;
    let mut reader = None;
    let mut out = Vec::with_capacity(commits.len());
    for (stored, kept) in commits.iter().zip(kept) {
        let commit = stored.commit();
        let known = kept.and_then(|bytes| decode(commit.oid, commit.parents.clone(), &bytes));
        out.push(match known {
            Some(known) => known,
            None => {
                let reader: &mut Reader = match &mut reader {
                    Some(reader) => reader,
                    none => none.insert(Reader::new(facets)?),
                };
                reader.read(store.patch(stored.clone())?.patch())
            }
        });
    }
    Ok(out)
}

/// How rare the question's words are in an upstream.
///
/// # Errors
/// Those of the store.
pub fn corpus(
    store: &Store,
    upstream: UpstreamId,
    question: &Question,
) -> Result<CorpusStats, QueryError> {
    let name = store.upstream_name(upstream)?;
    if let Some(shipped) = words::shipped(&name, question.ids()) {
        return Ok(shipped);
    }
    let counts = store.term_counts(upstream, question.ids())?;
    Ok(CorpusStats { commits: counts.commits, lens: counts.lens, df: counts.terms })
}

/// What other commits say of one, where `keep` lets them count; `place` tells how a
/// reader knows them.
///
/// # Errors
/// Those of the store.
pub fn later(
    store: &Store,
    upstream: UpstreamId,
    commit: &CommitFeatures,
    keep: impl Fn(&StoredCommit) -> bool,
    place: impl Fn(&StoredCommit) -> String,
) -> Result<Vec<Later>, QueryError> {
    let named = store.named_by(upstream, commit.oid, commit.pull)?;
    let mut out = Vec::new();
    for (id, kind) in named {
        let Some(kind) = kind_of(kind) else { continue };
        for by in store.commits(upstream, &[id])?.iter().filter(|by| keep(by)) {
            out.push(Later { by: by.commit().oid, kind, place: place(by) });
        }
    }
    Ok(out)
}
