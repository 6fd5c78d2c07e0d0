//! Reading changes and their hunks.

use std::collections::HashSet;

use rusqlite::{Row, params};

use super::write::{BINARY, DEFERRED, MISSING};
use super::{CommitId, Store, StoredCommit, UpstreamId};
use crate::exact::each_changed;
use crate::model::{ChangeStatus, CommitPatch, FileChange, Side};
use crate::objects::align;
use crate::pack::Unpacker;
use crate::{Oid, StoreError};

/// A commit with its changes, out of the store.
#[derive(Debug, Clone)]
pub struct StoredPatch {
    pub(crate) stored: StoredCommit,
    pub(crate) patch: CommitPatch,
    pub(crate) deferred: bool,
}

impl StoredPatch {
    /// The commit as stored.
    pub fn stored(&self) -> &StoredCommit {
        &self.stored
    }

    /// The commit with its changes.
    pub fn patch(&self) -> &CommitPatch {
        &self.patch
    }

    /// Whether this is a merge whose texts were left in the object store.
    pub fn is_deferred(&self) -> bool {
        self.deferred
    }
}

/// What a path became in a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Content {
    /// The commit.
    pub commit: Oid,
    /// When it was committed, in seconds since 1970.
    pub committed: i64,
    /// It has more than one parent.
    pub merge: bool,
    /// The object.
    pub object: Oid,
}

const COLUMNS: &str = "p.path, o.path, f.status, f.old_mode, f.new_mode, f.old_blob, f.new_blob,
    f.added, f.deleted, f.flags, t.bytes, t.hunks, f.commit_id";
const FROM: &str = "FROM file_change f JOIN path p ON p.id = f.path_id
    LEFT JOIN path o ON o.id = f.old_path_id LEFT JOIN patch t ON t.change_id = f.id";

fn read(row: &Row<'_>, unpacker: &mut Unpacker) -> Result<(FileChange, bool), StoreError> {
    let letter: u8 = row.get(2)?;
    let flags: i64 = row.get(9)?;
    let hunks = match row.get::<_, Option<i64>>(10)? {
        Some(bytes) => {
            let packed = row.get_ref(11)?.as_blob().map_err(rusqlite::Error::from)?;
            unpacker.unpack(usize::try_from(bytes).unwrap_or(0), packed)?
        }
        None => Vec::new(),
    };
    let change = FileChange {
        path: row.get(0)?,
        old_path: row.get(1)?,
        status: ChangeStatus::from_letter(letter)
            .ok_or_else(|| StoreError::Damaged(format!("a change has the status {letter}")))?,
        old_mode: row.get(3)?,
        new_mode: row.get(4)?,
        old_blob: row.get(5)?,
        new_blob: row.get(6)?,
        added: row.get(7)?,
        deleted: row.get(8)?,
        binary: flags & BINARY != 0,
        gap: flags & MISSING != 0,
        hunks,
    };
    Ok((change, flags & DEFERRED != 0))
}

impl Store {
    /// The changes of one commit, in git's order.
    ///
    /// # Errors
    /// Those of SQLite, and a patch that cannot be decompressed.
    pub fn patch(&self, commit: StoredCommit) -> Result<StoredPatch, StoreError> {
        let mut unpacker = Unpacker::new()?;
        let mut query = self.conn.prepare_cached(&format!(
            "SELECT {COLUMNS} {FROM} WHERE f.commit_id = ?1 ORDER BY f.id"
        ))?;
        let mut rows = query.query([commit.id.0])?;
        let mut files = Vec::new();
        let mut deferred = false;
        while let Some(row) = rows.next()? {
            let (change, is_deferred) = read(row, &mut unpacker)?;
            deferred |= is_deferred;
            files.push(change);
        }
        let patch = CommitPatch { commit: commit.commit.clone(), files };
        Ok(StoredPatch { stored: commit, patch, deferred })
    }

    /// The commits in these rows with their changes, in the order asked for.
    ///
    /// # Errors
    /// As [`Store::patch`].
    pub fn patches(
        &self,
        upstream: UpstreamId,
        ids: &[CommitId],
    ) -> Result<Vec<StoredPatch>, StoreError> {
        self.commits(upstream, ids)?.into_iter().map(|commit| self.patch(commit)).collect()
    }

    /// As [`Store::patches`], with the texts of merges, which are not among the records:
    /// git is asked for them, against the first parent. A file with a missing blob stays
    /// without text.
    ///
    /// # Errors
    /// As [`Store::patches`], and where the objects are gone.
    pub fn patches_with_merges(
        &self,
        upstream: UpstreamId,
        ids: &[CommitId],
    ) -> Result<Vec<StoredPatch>, StoreError> {
        let mut patches = self.patches(upstream, ids)?;
        let asked: Vec<(Oid, Option<Oid>)> = patches
            .iter()
            .filter(|patch| patch.deferred)
            .map(|patch| (patch.patch.commit.oid, patch.patch.commit.parents.first().copied()))
            .collect();
        if asked.is_empty() {
            return Ok(patches);
        }
        let diffs = self.objects(&self.upstream_name(upstream)?)?.diffs(&asked)?;
        for (patch, diffs) in patches.iter_mut().filter(|patch| patch.deferred).zip(diffs) {
            let diffs = align(&patch.patch.files, diffs);
            for (file, diff) in patch.patch.files.iter_mut().zip(diffs) {
                if file.gap {
                    continue; // what stands in for a missing blob is no text of upstream's
                }
                let (mut added, mut deleted) = (0, 0);
                each_changed(&diff.hunks, |side, _, _| match side {
                    Side::Added => added += 1,
                    _ => deleted += 1,
                });
                (file.added, file.deleted) = (added, deleted);
                (file.binary, file.hunks) = (diff.binary, diff.hunks);
            }
            patch.deferred = false;
        }
        Ok(patches)
    }

    /// The rows of an upstream's commits after `after`, in order.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn commit_ids_after(
        &self,
        upstream: UpstreamId,
        after: CommitId,
    ) -> Result<Vec<CommitId>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT id FROM commit_record WHERE upstream_id = ?1 AND id > ?2 ORDER BY id",
        )?;
        let rows = query.query_map(params![upstream.0, after.0], |row| row.get(0).map(CommitId))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Reads the commits in these rows with up to `jobs` threads, maps each with `map`,
    /// and gives the results in the order of the rows.
    ///
    /// # Errors
    /// As [`Store::patch`]; the first error ends it, and [`StoreError::GivenUp`].
    pub fn map_patches<T: Send>(
        &self,
        upstream: UpstreamId,
        ids: &[CommitId],
        jobs: usize,
        map: impl Fn(StoredPatch) -> T + Sync,
    ) -> Result<Vec<T>, StoreError> {
        let stage = self.stage("patches", ids.len())?;
        if jobs <= 1 || ids.len() < 32 {
            let read = |id: &CommitId| -> Result<T, StoreError> {
                self.go_on()?;
                let mut one = self.patches(upstream, std::slice::from_ref(id))?;
                stage.advance(1);
                one.pop()
                    .map(&map)
                    .ok_or_else(|| StoreError::Damaged("a commit is gone".to_owned()))
            };
            return ids.iter().map(read).collect();
        }
        let chunk = ids.len().div_ceil(jobs * 16).max(8);
        let chunks: Vec<&[CommitId]> = ids.chunks(chunk).collect();
        let next = std::sync::atomic::AtomicUsize::new(0);
        let stores = (0..jobs).map(|_| self.reopen()).collect::<Result<Vec<_>, _>>()?;
        let done = std::thread::scope(|scope| {
            let workers: Vec<_> = stores
                .into_iter()
                .map(|store| {
                    let (chunks, next, map, stage) = (&chunks, &next, &map, &stage);
                    scope.spawn(move || -> Result<Vec<(usize, Vec<T>)>, StoreError> {
                        let mut out = Vec::new();
                        loop {
                            let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                            let Some(ids) = chunks.get(at) else { return Ok(out) };
                            let mut results = Vec::with_capacity(ids.len());
                            for commit in store.commits(upstream, ids)? {
                                store.go_on()?;
                                results.push(map(store.patch(commit)?));
                            }
                            stage.advance(ids.len() as u64);
                            out.push((at, results));
                        }
                    })
                })
                .collect();
            workers
                .into_iter()
                .map(|worker| {
                    worker
                        .join()
                        .unwrap_or_else(|_| Err(StoreError::Damaged("a reader died".to_owned())))
                })
                .collect::<Result<Vec<_>, _>>()
        })?;
        let mut parts: Vec<(usize, Vec<T>)> = done.into_iter().flatten().collect();
        parts.sort_by_key(|(at, _)| *at);
        Ok(parts.into_iter().flat_map(|(_, results)| results).collect())
    }

    /// What a path became in each commit that changed it: without the texts of the changes.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn contents(&self, upstream: UpstreamId, path: &str) -> Result<Vec<Content>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT c.oid, c.committed, length(c.parents) > 20, f.new_blob FROM path p
             JOIN file_change f ON f.path_id = p.id
             JOIN commit_record c ON c.id = f.commit_id
             WHERE p.path = ?2 AND c.upstream_id = ?1 ORDER BY c.id, f.id",
        )?;
        let rows = query.query_map(params![upstream.0, path], |row| {
            Ok(Content {
                commit: row.get(0)?,
                committed: row.get(1)?,
                merge: row.get(2)?,
                object: row.get(3)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many texts these commits have at paths of which `counts` says so, before or after
    /// the change, and how long they are together.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn texts_at_paths(
        &self,
        commits: &HashSet<CommitId>,
        counts: impl Fn(&str) -> bool,
    ) -> Result<(u64, u64), StoreError> {
        let paths = self.path_ids(counts)?;
        let mut query = self.conn.prepare_cached(
            "SELECT id, commit_id, path_id, old_path_id FROM file_change ORDER BY id",
        )?;
        let (mut number, mut bytes) = (0, 0);
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let old: Option<i64> = row.get(3)?;
            let here = paths.contains(&row.get(2)?) || old.is_some_and(|old| paths.contains(&old));
            if here && commits.contains(&CommitId(row.get(1)?)) {
                let len = self.text_len(row.get(0)?)?;
                number += u64::from(len > 0);
                bytes += len;
            }
        }
        Ok((number, bytes))
    }

    /// The rows of the commits that changed a path of which `counts` says so, or moved it
    /// from or to there.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn commits_at_paths(
        &self,
        counts: impl Fn(&str) -> bool,
    ) -> Result<HashSet<CommitId>, StoreError> {
        let paths = self.path_ids(counts)?;
        let mut query =
            self.conn.prepare_cached("SELECT commit_id, path_id, old_path_id FROM file_change")?;
        let mut rows = query.query([])?;
        let mut commits = HashSet::new();
        while let Some(row) = rows.next()? {
            let old: Option<i64> = row.get(2)?;
            if paths.contains(&row.get(1)?) || old.is_some_and(|old| paths.contains(&old)) {
                commits.insert(CommitId(row.get(0)?));
            }
        }
        Ok(commits)
    }

    /// The rows of the paths of which `counts` says so.
    fn path_ids(&self, counts: impl Fn(&str) -> bool) -> Result<HashSet<i64>, StoreError> {
        let mut query = self.conn.prepare_cached("SELECT id, path FROM path")?;
        let mut paths = HashSet::new();
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            if counts(row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?) {
                paths.insert(row.get(0)?);
            }
        }
        Ok(paths)
    }
}
