//! Runs of digests that go on where the last one ended.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension as _, params};

use super::{CommitId, Store, UpstreamId, time};
use crate::{Digest, StoreError};

/// Each upstream's newest commit row.
pub type Rows = BTreeMap<String, i64>;

/// One run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigestRun {
    /// Its row.
    pub id: i64,
    /// The end of the run before; none for the first.
    pub from: Option<DateTime<Utc>>,
    /// Its end.
    pub to: DateTime<Utc>,
    /// The newest rows that were told before.
    pub after: Rows,
    /// The newest rows that it tells.
    pub through: Rows,
    /// The file that it is written to.
    pub output: Option<String>,
    /// The sha256 of what is written there.
    pub sha256: Option<Digest>,
    /// When it had been told.
    pub done: Option<DateTime<Utc>>,
}

impl Store {
    /// The newest commit row of an upstream; 0 where it has none.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn newest_commit(&self, upstream: UpstreamId) -> Result<i64, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT coalesce(max(id), 0) FROM commit_record WHERE upstream_id = ?1",
        )?;
        let row: i64 = query.query_row([upstream.0], |row| row.get(0))?;
        Ok(CommitId(row).row())
    }

    /// The last run, told or not.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn last_digest_run(&self) -> Result<Option<DigestRun>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT id, from_time, to_time, after_rows, through_rows, output, sha256, done
             FROM digest_run ORDER BY id DESC LIMIT 1",
        )?;
        let row = query
            .query_row([], |row| {
                let (after, through): (String, String) = (row.get(3)?, row.get(4)?);
                Ok((
                    DigestRun {
                        id: row.get(0)?,
                        from: row.get::<_, Option<i64>>(1)?.map(time),
                        to: time(row.get(2)?),
                        after: Rows::new(),
                        through: Rows::new(),
                        output: row.get(5)?,
                        sha256: row.get(6)?,
                        done: row.get::<_, Option<i64>>(7)?.map(time),
                    },
                    after,
                    through,
                ))
            })
            .optional()?;
        let Some((mut run, after, through)) = row else { return Ok(None) };
        let damaged = |_| StoreError::Damaged(format!("digest run {}", run.id));
        run.after = serde_json::from_str(&after).map_err(damaged)?;
        run.through = serde_json::from_str(&through).map_err(damaged)?;
        Ok(Some(run))
    }

    /// Begins a run that ends now.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn begin_digest_run(
        &self,
        from: Option<DateTime<Utc>>,
        after: &Rows,
        through: &Rows,
        output: Option<&str>,
    ) -> Result<DigestRun, StoreError> {
        let json = |rows: &Rows| serde_json::json!(rows).to_string();
        let now = Utc::now();
        self.conn.execute(
            "INSERT INTO digest_run (from_time, to_time, after_rows, through_rows, output)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                from.map(|at| at.timestamp()),
                now.timestamp(),
                json(after),
                json(through),
                output
            ],
        )?;
        Ok(DigestRun {
            id: self.conn.last_insert_rowid(),
            from,
            to: time(now.timestamp()),
            after: after.clone(),
            through: through.clone(),
            output: output.map(str::to_owned),
            sha256: None,
            done: None,
        })
    }

    /// Records what a run is about to write, and where.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn record_digest_run(
        &self,
        run: &DigestRun,
        output: Option<&str>,
    ) -> Result<(), StoreError> {
        self.conn.execute(
            "UPDATE digest_run SET sha256 = ?2, output = ?3 WHERE id = ?1",
            params![run.id, run.sha256, output],
        )?;
        Ok(())
    }

    /// Records that a run was told.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn finish_digest_run(&self, id: i64) -> Result<(), StoreError> {
        self.conn.execute(
            "UPDATE digest_run SET done = ?2 WHERE id = ?1",
            params![id, Utc::now().timestamp()],
        )?;
        Ok(())
    }
}
