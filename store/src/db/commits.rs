//! Reading commits.

use std::sync::Arc;

use rusqlite::{OptionalExtension as _, Row, params};

use super::{CommitId, Store, UpstreamId, time};
use crate::graph::CommitGraph;
use crate::model::{Commit, Person};
use crate::{Oid, StoreError};

/// A commit out of the store. Only the store makes one, so whoever holds it can show
/// where it came from.
#[derive(Debug, Clone)]
pub struct StoredCommit {
    pub(crate) upstream: Arc<str>,
    pub(crate) id: CommitId,
    pub(crate) commit: Commit,
    pub(crate) patch_id: Option<Oid>,
    pub(crate) receipt: i64,
}

impl StoredCommit {
    /// The upstream's name.
    pub fn upstream(&self) -> &str {
        &self.upstream
    }

    /// Its row.
    pub fn id(&self) -> CommitId {
        self.id
    }

    /// The commit itself.
    pub fn commit(&self) -> &Commit {
        &self.commit
    }

    /// Its patch-id, where it has one.
    pub fn patch_id(&self) -> Option<Oid> {
        self.patch_id
    }

    /// The row of its receipt.
    pub fn receipt_id(&self) -> i64 {
        self.receipt
    }
}

const COLUMNS: &str =
    "c.id, c.oid, c.tree, c.parents, a.name, a.email, c.authored, k.name, k.email,
    c.committed, c.message, c.patch_id, c.receipt_id";
const FROM: &str = "FROM commit_record c JOIN person a ON a.id = c.author_id
    JOIN person k ON k.id = c.committer_id";

fn read(upstream: &Arc<str>, row: &Row<'_>) -> rusqlite::Result<StoredCommit> {
    Ok(StoredCommit {
        upstream: Arc::clone(upstream),
        id: CommitId(row.get(0)?),
        commit: Commit {
            oid: row.get(1)?,
            tree: row.get(2)?,
            parents: oids(&row.get::<_, Vec<u8>>(3)?),
            author: Person { name: row.get(4)?, email: row.get(5)? },
            authored: time(row.get(6)?),
            committer: Person { name: row.get(7)?, email: row.get(8)? },
            committed: time(row.get(9)?),
            message: row.get(10)?,
        },
        patch_id: row.get(11)?,
        receipt: row.get(12)?,
    })
}

fn oids(bytes: &[u8]) -> Vec<Oid> {
    bytes.chunks_exact(20).filter_map(Oid::from_slice).collect()
}

/// The least and the greatest id that start with these hexadecimal digits.
fn bounds(digits: &str) -> Option<[Oid; 2]> {
    let is_start =
        (1..=40).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let bound = |fill: &str| {
        Oid::from_hex(format!("{digits}{}", fill.repeat(40 - digits.len())).as_bytes())
    };
    if is_start { Some([bound("0")?, bound("f")?]) } else { None }
}

impl Store {
    /// The commit with this id, if it is stored.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn commit(
        &self,
        upstream: UpstreamId,
        oid: Oid,
    ) -> Result<Option<StoredCommit>, StoreError> {
        let name = self.upstream_name(upstream)?;
        let mut query = self.conn.prepare_cached(&format!(
            "SELECT {COLUMNS} {FROM} WHERE c.upstream_id = ?1 AND c.oid = ?2"
        ))?;
        Ok(query.query_row(params![upstream.0, oid], |row| read(&name, row)).optional()?)
    }

    /// The commits in these rows, in the order asked for.
    ///
    /// # Errors
    /// Those of SQLite, and a row that does not exist.
    pub fn commits(
        &self,
        upstream: UpstreamId,
        ids: &[CommitId],
    ) -> Result<Vec<StoredCommit>, StoreError> {
        let name = self.upstream_name(upstream)?;
        let mut query =
            self.conn.prepare_cached(&format!("SELECT {COLUMNS} {FROM} WHERE c.id = ?1"))?;
        ids.iter().map(|id| Ok(query.query_row([id.0], |row| read(&name, row))?)).collect()
    }

    /// The commits whose ids start with these hexadecimal digits, at most `limit`.
    ///
    /// # Errors
    /// Those of SQLite. Text that is not hexadecimal finds nothing.
    pub fn commits_with_prefix(
        &self,
        upstream: UpstreamId,
        digits: &str,
        limit: usize,
    ) -> Result<Vec<StoredCommit>, StoreError> {
        let Some([low, high]) = bounds(digits) else { return Ok(Vec::new()) };
        let name = self.upstream_name(upstream)?;
        let mut query = self.conn.prepare_cached(&format!(
            "SELECT {COLUMNS} {FROM} WHERE c.upstream_id = ?1 AND c.oid BETWEEN ?2 AND ?3
             ORDER BY c.oid LIMIT ?4"
        ))?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows =
            query.query_map(params![upstream.0, low, high, limit], |row| read(&name, row))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Whether a commit is stored whose id starts with these hexadecimal digits.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn has_commit(&self, upstream: UpstreamId, digits: &str) -> Result<bool, StoreError> {
        let Some([low, high]) = bounds(digits) else { return Ok(false) };
        let mut query = self.conn.prepare_cached(
            "SELECT 1 FROM commit_record WHERE upstream_id = ?1 AND oid BETWEEN ?2 AND ?3",
        )?;
        Ok(query.exists(params![upstream.0, low, high])?)
    }

    /// The commits whose subjects name this pull request.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn commits_of_pull(
        &self,
        upstream: UpstreamId,
        number: u32,
    ) -> Result<Vec<StoredCommit>, StoreError> {
        let name = self.upstream_name(upstream)?;
        let mut query = self.conn.prepare_cached(&format!(
            "SELECT {COLUMNS} {FROM} WHERE c.upstream_id = ?1 AND c.pull_request = ?2
             AND c.pull_request IS NOT NULL ORDER BY c.committed, c.oid"
        ))?;
        let rows = query.query_map(params![upstream.0, number], |row| read(&name, row))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The other stored commits with the same patch-id.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn twins(&self, commit: &StoredCommit) -> Result<Vec<Oid>, StoreError> {
        let Some(patch_id) = commit.patch_id else { return Ok(Vec::new()) };
        let upstream = self.upstream(&commit.upstream)?;
        let mut query = self.conn.prepare_cached(
            // Without the hint the planner walks all commits in the order of their ids.
            "SELECT oid FROM commit_record INDEXED BY commit_by_patch_id
             WHERE upstream_id = ?1 AND patch_id = ?2 AND id <> ?3",
        )?;
        let rows = query.query_map(params![upstream.0, patch_id, commit.id.0], |row| row.get(0))?;
        let mut twins: Vec<Oid> = rows.collect::<Result<_, _>>()?;
        twins.sort();
        Ok(twins)
    }

    /// The groups of two and more stored commits that share a patch-id.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn twin_groups(&self, upstream: UpstreamId) -> Result<Vec<Vec<Oid>>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT patch_id, oid FROM commit_record WHERE upstream_id = ?1 AND patch_id IN (
                 SELECT patch_id FROM commit_record WHERE upstream_id = ?1 AND patch_id IS NOT NULL
                 GROUP BY patch_id HAVING count(*) > 1)
             ORDER BY patch_id, oid",
        )?;
        let mut rows = query.query([upstream.0])?;
        let mut groups: Vec<(Oid, Vec<Oid>)> = Vec::new();
        while let Some(row) = rows.next()? {
            let (patch_id, oid): (Oid, Oid) = (row.get(0)?, row.get(1)?);
            match groups.last_mut() {
                Some((last, group)) if *last == patch_id => group.push(oid),
                _ => groups.push((patch_id, vec![oid])),
            }
        }
        Ok(groups.into_iter().map(|(_, group)| group).collect())
    }

    pub(super) fn read_graph(&self, upstream: UpstreamId) -> Result<CommitGraph, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT id, oid, parents, committed FROM commit_record WHERE upstream_id = ?1",
        )?;
        let mut rows = query.query([upstream.0])?;
        let mut graph = CommitGraph::default();
        while let Some(row) = rows.next()? {
            let parents = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
            let parents = parents.chunks_exact(20).filter_map(Oid::from_slice);
            graph.add(CommitId(row.get(0)?), row.get(1)?, parents, row.get(3)?);
        }
        graph.link();
        Ok(graph)
    }

    /// How many commits of an upstream are stored.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn count_commits(&self, upstream: UpstreamId) -> Result<u64, StoreError> {
        let mut query = self
            .conn
            .prepare_cached("SELECT count(*) FROM commit_record WHERE upstream_id = ?1")?;
        Ok(query.query_row([upstream.0], |row| row.get(0))?)
    }

    /// The ids of all stored commits of an upstream.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn commit_oids(&self, upstream: UpstreamId) -> Result<Vec<Oid>, StoreError> {
        let mut query =
            self.conn.prepare_cached("SELECT oid FROM commit_record WHERE upstream_id = ?1")?;
        let rows = query.query_map([upstream.0], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
