//! Crawls, and what `headwater status` tells of an upstream.

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension as _, params};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Store, UpstreamId, time};
use crate::StoreError;

/// One crawl.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CrawlRecord {
    /// `whole`, or the window as it was asked for.
    pub scope: String,
    /// When it began.
    pub started: DateTime<Utc>,
    /// When everything in scope was stored; `None` for one that was cut short.
    pub finished: Option<DateTime<Utc>>,
    /// How many commits upstream had in scope.
    pub commits: u64,
}

/// What is stored of an upstream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UpstreamStatus {
    /// Its name.
    pub upstream: String,
    /// Commits stored.
    pub commits: u64,
    /// File changes stored.
    pub changes: u64,
    /// Bytes of patch text, uncompressed.
    pub patch_bytes: u64,
    /// Gaps that are still open, by kind.
    pub gaps: Vec<(String, u64)>,
    /// The last crawl.
    pub last_crawl: Option<CrawlRecord>,
}

impl Store {
    /// Records that a crawl begins, and returns its row.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn begin_crawl(
        &self,
        upstream: UpstreamId,
        scope: &str,
        receipt: i64,
        commits: u64,
    ) -> Result<i64, StoreError> {
        self.conn.execute(
            "INSERT INTO crawl (upstream_id, scope, receipt_id, started, commits)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                upstream.0,
                scope,
                receipt,
                Utc::now().timestamp(),
                i64::try_from(commits).unwrap_or(i64::MAX)
            ],
        )?;
        Ok(self.conn.last_insert_rowid())
    }

    /// Records that everything in the scope of a crawl is stored.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn finish_crawl(&self, crawl: i64) -> Result<(), StoreError> {
        self.conn.execute(
            "UPDATE crawl SET finished = ?2 WHERE id = ?1",
            params![crawl, Utc::now().timestamp()],
        )?;
        Ok(())
    }

    /// The last crawl of an upstream, if there was one; with `scope`, of that scope.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn last_crawl(
        &self,
        upstream: UpstreamId,
        scope: Option<&str>,
    ) -> Result<Option<CrawlRecord>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT scope, started, finished, commits FROM crawl
             WHERE upstream_id = ?1 AND (?2 IS NULL OR scope = ?2) ORDER BY id DESC LIMIT 1",
        )?;
        Ok(query
            .query_row(params![upstream.0, scope], |row| {
                Ok(CrawlRecord {
                    scope: row.get(0)?,
                    started: time(row.get(1)?),
                    finished: row.get::<_, Option<i64>>(2)?.map(time),
                    commits: row.get(3)?,
                })
            })
            .optional()?)
    }

    /// Whether the last crawl of a scope (`whole`, or a window as it was asked for) was
    /// completed.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn has_crawled(&self, upstream: UpstreamId, scope: &str) -> Result<bool, StoreError> {
        let last = self.last_crawl(upstream, Some(scope))?;
        Ok(last.is_some_and(|crawl| crawl.finished.is_some()))
    }

    /// What the finished crawls of an upstream were after.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn crawled_scopes(&self, upstream: UpstreamId) -> Result<Vec<String>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT DISTINCT scope FROM crawl WHERE upstream_id = ?1 AND finished IS NOT NULL",
        )?;
        let rows = query.query_map([upstream.0], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What is stored of an upstream.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn status(&self, upstream: UpstreamId) -> Result<UpstreamStatus, StoreError> {
        let name = self.upstream_name(upstream)?;
        let (changes, patch_bytes) = self.conn.query_row(
            "SELECT count(*), coalesce(sum(t.bytes), 0) FROM file_change f
             JOIN commit_record c ON c.id = f.commit_id LEFT JOIN patch t ON t.change_id = f.id
             WHERE c.upstream_id = ?1",
            [upstream.0],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let mut query = self.conn.prepare_cached(
            "SELECT kind, count(*) FROM gap WHERE upstream_id = ?1 AND filled IS NULL
             GROUP BY kind ORDER BY kind",
        )?;
        let gaps = query
            .query_map([upstream.0], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?;
        Ok(UpstreamStatus {
            upstream: name.to_string(),
            commits: self.count_commits(upstream)?,
            changes,
            patch_bytes,
            gaps,
            last_crawl: self.last_crawl(upstream, None)?,
        })
    }
}
