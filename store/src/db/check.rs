//! Looking for damage.

use rusqlite::{OptionalExtension as _, params};
use schemars::JsonSchema;
use serde::Serialize;

use super::{CommitId, Store, UpstreamId};
use crate::pack::Unpacker;
use crate::{Oid, StoreError};

/// How many rows of a check's answer are told.
const TOLD: usize = 8;

/// Whether an index covers what the records hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum IndexState {
    /// There is none, or one of another version.
    Missing,
    /// Its files cannot be read.
    Damaged(String),
    /// It was made from other records.
    Foreign,
    /// Records are there that it does not cover: so many rows.
    Behind(i64),
    /// It covers all; its size in bytes.
    Current(u64),
}

impl IndexState {
    pub(super) fn of(through: i64, last: i64, bytes: u64) -> Self {
        match last - through {
            0 => IndexState::Current(bytes),
            behind if behind > 0 => IndexState::Behind(behind),
            _ => IndexState::Foreign,
        }
    }
}

impl Store {
    /// What SQLite's own check finds wrong with the database; nothing where it is sound.
    ///
    /// # Errors
    /// Where the database cannot be read at all.
    pub fn integrity(&self) -> Result<Vec<String>, StoreError> {
        let mut query = self.conn.prepare("PRAGMA integrity_check(100)")?;
        let rows = query.query_map([], |row| row.get::<_, String>(0))?;
        let found: Vec<String> = rows.collect::<Result<_, _>>()?;
        Ok(found.into_iter().filter(|line| line != "ok").take(TOLD).collect())
    }

    /// Rows that name rows which are not there: the table, the table it names, and how many.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn broken_references(&self) -> Result<Vec<(String, String, u64)>, StoreError> {
        let mut query = self.conn.prepare(
            "SELECT \"table\", parent, count(*) FROM pragma_foreign_key_check GROUP BY 1, 2 ORDER BY 1, 2",
        )?;
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many commits of an upstream name a receipt that is not there.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn without_receipt(&self, upstream: UpstreamId) -> Result<u64, StoreError> {
        Ok(self.conn.query_row(
            "SELECT count(*) FROM commit_record c LEFT JOIN receipt r ON r.id = c.receipt_id
             WHERE c.upstream_id = ?1 AND r.id IS NULL",
            [upstream.0],
            |row| row.get(0),
        )?)
    }

    /// Some commits of an upstream whose changes have text, spread over all of them;
    /// another `seed` gives others.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn sample(
        &self,
        upstream: UpstreamId,
        count: usize,
        seed: u64,
    ) -> Result<Vec<CommitId>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT c.id FROM commit_record c WHERE c.upstream_id = ?1 AND length(c.parents) <= 20
             AND EXISTS (SELECT 1 FROM file_change f JOIN patch t ON t.change_id = f.id
                         WHERE f.commit_id = c.id) ORDER BY c.id",
        )?;
        let rows = query.query_map(params![upstream.0], |row| row.get(0).map(CommitId))?;
        let all: Vec<CommitId> = rows.collect::<Result<_, _>>()?;
        if count == 0 || all.is_empty() {
            return Ok(Vec::new());
        }
        let step = (all.len() / count).max(1);
        let first = usize::try_from(seed % step as u64).unwrap_or(0);
        Ok(all.into_iter().skip(first).step_by(step).take(count).collect())
    }
}

impl Store {
    /// The first text of each of these commits, with its row.
    ///
    /// # Errors
    /// Those of SQLite, and text that cannot be decompressed.
    pub fn some_texts(&self, commits: &[CommitId]) -> Result<Vec<(Oid, u32, Vec<u8>)>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT c.oid, t.change_id FROM commit_record c JOIN file_change f ON f.commit_id = c.id
             JOIN patch t ON t.change_id = f.id WHERE c.id = ?1 ORDER BY t.change_id LIMIT 1",
        )?;
        let mut unpacker = Unpacker::new()?;
        let mut texts = Vec::with_capacity(commits.len());
        for commit in commits {
            let found =
                query.query_row([commit.0], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
            let Some((oid, row)) = found else { continue };
            let mut text = Vec::new();
            self.hunks(row, &mut unpacker, &mut text)?;
            texts.push((oid, row, text));
        }
        Ok(texts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(dir.path()).unwrap();
        let upstream = store.ensure_upstream("u").unwrap();
        store
            .conn
            .execute_batch(
                "INSERT INTO commit_record (id, upstream_id, oid, tree, parents, author_id, authored,
                     committer_id, committed, message, receipt_id)
                 VALUES (7, 1, x'00', x'00', x'', 1, 0, 1, 0, 'm', 99);",
            )
            .unwrap();
        assert_eq!(store.integrity().unwrap(), [] as [&str; 0]);
        assert_eq!(store.without_receipt(upstream).unwrap(), 1);
        let broken = store.broken_references().unwrap();
        assert!(broken.contains(&("commit_record".into(), "receipt".into(), 1)), "{broken:?}");
        assert_eq!(store.sample(upstream, 5, 0).unwrap(), []);
    }
}
