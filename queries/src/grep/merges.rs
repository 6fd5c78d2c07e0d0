//! Searching merges, whose texts are not among the records: git is asked for them.

use std::sync::atomic::{AtomicUsize, Ordering};

use headwater_store::{CommitId, Store};

use super::scope::Commits;
use super::verify::{Check, Hits};
use crate::QueryError;

/// So many merges are asked of git at once: what it prints is held in memory.
const AT_ONCE: usize = 24;

/// What was read, and what of it matches.
#[derive(Debug, Default)]
pub(super) struct Merged {
    /// The place of each commit that matches, and its lines.
    pub found: Vec<(usize, Hits)>,
    /// File changes that have text.
    pub patches: u64,
    /// The length of their texts.
    pub bytes: u64,
}

/// The merges in scope that match, against their first parent.
pub(super) fn search(
    store: &Store,
    commits: &Commits<'_>,
    check: &Check<'_>,
    jobs: usize,
) -> Result<Merged, QueryError> {
    let places: Vec<usize> = (0..commits.list.len())
        .filter(|&at| commits.inside[at] && commits.list[at].merge)
        .collect();
    if places.is_empty() {
        return Ok(Merged::default());
    }
    if let Some(dir) = store.objects(&commits.upstream.name)?.lost_clone() {
        return Err(QueryError::LostClone {
            upstream: commits.upstream.name.clone(),
            dir: dir.display().to_string(),
        });
    }
    let chunks: Vec<&[usize]> = places.chunks(AT_ONCE).collect();
    let next = AtomicUsize::new(0);
    let work = |store: &Store| -> Result<Merged, QueryError> {
        let mut merged = Merged::default();
        while let Some(chunk) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
            read(store, commits, check, chunk, &mut merged)?;
        }
        Ok(merged)
    };
    let stores =
        (1..jobs.min(chunks.len())).map(|_| store.reopen()).collect::<Result<Vec<_>, _>>()?;
    let mut all = std::thread::scope(|scope| {
        let work = &work;
        let workers: Vec<_> =
            stores.into_iter().map(|store| scope.spawn(move || work(&store))).collect();
        let mut all = work(store)?;
        for worker in workers {
            let part = worker.join().map_err(|_| QueryError::ThreadDied)??;
            all.found.extend(part.found);
            all.patches += part.patches;
            all.bytes += part.bytes;
        }
        Ok::<_, QueryError>(all)
    })?;
    all.found.sort_by_key(|(place, _)| *place);
    Ok(all)
}

fn read(
    store: &Store,
    commits: &Commits<'_>,
    check: &Check<'_>,
    places: &[usize],
    merged: &mut Merged,
) -> Result<(), QueryError> {
    let ids: Vec<CommitId> = places.iter().map(|&place| commits.list[place].id).collect();
    let mut room = Vec::new();
    for (&place, patch) in places.iter().zip(store.patches_with_merges(commits.id, &ids)?) {
        let mut hits = Hits::default();
        let mut found = false;
        for file in patch.patch().files.iter().filter(|file| !file.hunks.is_empty()) {
            merged.patches += 1;
            merged.bytes += file.hunks.len() as u64;
            let counts = check.path_counts(&file.path, file.old_path.as_deref());
            if counts && check.matches(&file.hunks, &mut room) {
                found = true;
                check.add_lines(&file.path, file.path_before(), &file.hunks, &mut hits);
            }
        }
        if found {
            merged.found.push((place, hits));
        }
    }
    Ok(())
}
