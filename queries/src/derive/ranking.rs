//! What the ranking reads of each commit, kept so that a question need not read patches.

use std::sync::Mutex;

use headwater_store::{CommitId, NameRow, RankingRow, Store, TermCounts};

use crate::QueryError;
use crate::rank::{
    CommitFeatures, CorpusStats, Facets, MentionTarget, Reader, encode, rules_hash, words,
};

/// Commits in one transaction.
const BATCH: usize = 4096;

/// Reads the commits that were stored since with up to `jobs` threads, or all of them
/// where the maps changed; tells how many it read.
///
/// # Errors
/// Those of the store, and of a map that is not valid.
pub fn derive(store: &mut Store, upstream: &str, jobs: usize) -> Result<usize, QueryError> {
    let id = store.upstream(upstream)?;
    let rules = rules_hash();
    let through = match store.ranking_through(id, &rules)? {
        Some(through) => through,
        None => {
            store.derives()?;
            store.clear_ranking(id)?;
            CommitId::NONE
        }
    };
    let ids = store.commit_ids_after(id, through)?;
    if ids.is_empty() {
        return Ok(0);
    }
    store.derives()?;
    let facets = Facets::shipped()?;
    // A reader remembers words, so each thread takes one and gives it back.
    let readers: Mutex<Vec<Reader>> = Mutex::default();
    for batch in ids.chunks(BATCH) {
        let read = store.map_patches(id, batch, jobs, |patch| {
            let known = readers.lock().ok().and_then(|mut readers| readers.pop());
            let mut reader = match known {
                Some(reader) => reader,
                None => Reader::new(&facets)?,
            };
            let features = reader.read(patch.patch());
            if let Ok(mut readers) = readers.lock() {
                readers.push(reader);
            }
            Ok::<_, QueryError>((patch.stored().id(), features))
        })?;
        let read = read.into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut counts = CorpusStats::default();
        // A merge repeats what its members say.
        if !words::are_shipped(upstream) {
            read.iter().filter(|(_, f)| f.parents.len() < 2).for_each(|(_, f)| counts.add(f));
        }
        let counts = TermCounts { commits: counts.commits, lens: counts.lens, terms: counts.df };
        let rows: Vec<RankingRow> =
            read.iter().map(|(commit, features)| row(*commit, features)).collect();
        let Some(last) = batch.last() else { continue };
        store.add_ranking(id, &rules, *last, &rows, &counts)?;
    }
    Ok(ids.len())
}

/// Whether every commit of an upstream was read, by the maps in force.
///
/// # Errors
/// Those of the store.
pub fn is_current(store: &Store, upstream: &str) -> Result<bool, QueryError> {
    let id = store.upstream(upstream)?;
    Ok(match store.ranking_through(id, &rules_hash())? {
        Some(through) => store.commit_ids_after(id, through)?.is_empty(),
        None => false,
    })
}

fn row(commit: CommitId, features: &CommitFeatures) -> RankingRow {
    let names = features.mentions.iter().map(|mention| {
        let (pull, sha) = match &mention.target {
            MentionTarget::Pull(pull) => (Some(*pull), None),
            MentionTarget::Sha(sha) => (None, Some(sha.clone())),
        };
        NameRow { pull, sha, kind: mention.kind as u8 }
    });
    RankingRow { commit, features: encode(features), names: names.collect() }
}
