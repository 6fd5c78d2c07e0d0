//! What upstream's host reported about windows, and under which names it answered.

use chrono::Utc;
use rusqlite::{OptionalExtension as _, params};
use serde::Serialize;

use super::{Store, UpstreamId};
use crate::upstream::Upstream;
use crate::{Oid, StoreError};

/// What a host's comparison of two commits said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// The older end.
    pub base: Oid,
    /// The newer end.
    pub head: Oid,
    /// `identical`, `ahead`, `behind` or `diverged`.
    pub status: String,
    /// Commits that only the newer end reaches: the window's.
    pub ahead: u64,
    /// Commits that only the older end reaches.
    pub behind: u64,
    /// A commit that both reach, where the host names one.
    pub merge_base: Option<Oid>,
}

/// An earlier answer that a host may be asked to compare with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Its receipt's row.
    pub receipt: i64,
    /// Its ETag.
    pub etag: String,
}

impl Store {
    /// Keeps what a host said about a window.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add_comparison(
        &self,
        upstream: UpstreamId,
        receipt: i64,
        said: &Comparison,
    ) -> Result<(), StoreError> {
        self.conn.execute(
            "INSERT INTO comparison
             (upstream_id, base, head, status, ahead, behind, merge_base, observed, receipt_id)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            params![
                upstream.0,
                said.base,
                said.head,
                said.status,
                i64::try_from(said.ahead).unwrap_or(i64::MAX),
                i64::try_from(said.behind).unwrap_or(i64::MAX),
                said.merge_base,
                Utc::now().timestamp(),
                receipt
            ],
        )?;
        Ok(())
    }

    /// What a host said last about a window.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn comparison(
        &self,
        upstream: UpstreamId,
        base: Oid,
        head: Oid,
    ) -> Result<Option<Comparison>, StoreError> {
        self.one_comparison(
            "SELECT base, head, status, ahead, behind, merge_base FROM comparison
             WHERE upstream_id = ?1 AND base = ?2 AND head = ?3 ORDER BY id DESC LIMIT 1",
            params![upstream.0, base, head],
        )
    }

    /// The receipts of everything that hosts said about a window, oldest first.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn comparison_receipts(
        &self,
        upstream: UpstreamId,
        base: Oid,
        head: Oid,
    ) -> Result<Vec<i64>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT receipt_id FROM comparison
             WHERE upstream_id = ?1 AND base = ?2 AND head = ?3 ORDER BY id",
        )?;
        let rows = query.query_map(params![upstream.0, base, head], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What a host said in the answer with this receipt.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn comparison_of(&self, receipt: i64) -> Result<Option<Comparison>, StoreError> {
        self.one_comparison(
            "SELECT base, head, status, ahead, behind, merge_base FROM comparison
             WHERE receipt_id = ?1 ORDER BY id DESC LIMIT 1",
            params![receipt],
        )
    }

    fn one_comparison(
        &self,
        sql: &str,
        params: &[&dyn rusqlite::ToSql],
    ) -> Result<Option<Comparison>, StoreError> {
        let mut query = self.conn.prepare_cached(sql)?;
        Ok(query
            .query_row(params, |row| {
                Ok(Comparison {
                    base: row.get(0)?,
                    head: row.get(1)?,
                    status: row.get(2)?,
                    ahead: row.get(3)?,
                    behind: row.get(4)?,
                    merge_base: row.get(5)?,
                })
            })
            .optional()?)
    }

    /// The last answer from `source` that came with an ETag.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn seen_at(&self, upstream: UpstreamId, source: &str) -> Result<Option<Seen>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT id, etag FROM receipt
             WHERE upstream_id = ?1 AND source = ?2 AND etag IS NOT NULL ORDER BY id DESC LIMIT 1",
        )?;
        Ok(query
            .query_row(params![upstream.0, source], |row| {
                Ok(Seen { receipt: row.get(0)?, etag: row.get(1)? })
            })
            .optional()?)
    }

    /// Remembers that a repository has another name now.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add_repository_name(
        &self,
        upstream: UpstreamId,
        asked: &str,
        name: &str,
    ) -> Result<(), StoreError> {
        if self.repository_name(upstream, asked)?.as_deref() == Some(name) {
            return Ok(());
        }
        self.conn.execute(
            "INSERT INTO repository_name (upstream_id, asked, name, observed) VALUES (?1, ?2, ?3, ?4)",
            params![upstream.0, asked, name, Utc::now().timestamp()],
        )?;
        Ok(())
    }

    /// The name under which an upstream's repository answered last: the one that it is
    /// declared with, where it was never renamed.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn repository(&self, upstream: &Upstream) -> Result<String, StoreError> {
        let known = match self.find_upstream(&upstream.name)? {
            Some(id) => self.repository_name(id, &upstream.repository)?,
            None => None,
        };
        Ok(known.unwrap_or_else(|| upstream.repository.clone()))
    }

    fn repository_name(
        &self,
        upstream: UpstreamId,
        asked: &str,
    ) -> Result<Option<String>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT name FROM repository_name
             WHERE upstream_id = ?1 AND asked = ?2 ORDER BY id DESC LIMIT 1",
        )?;
        Ok(query.query_row(params![upstream.0, asked], |row| row.get(0)).optional()?)
    }
}
