//! Receipts: how records were obtained.

use chrono::{DateTime, Utc};
use rusqlite::params;

use super::{Store, UpstreamId, time};
use crate::evidence::Receipt;
use crate::{Digest, StoreError};

/// How a record that one answer holds was obtained.
#[derive(Debug, Clone)]
pub struct NewReceipt<'a> {
    /// The transport.
    pub transport: &'a str,
    /// The URL, or the file.
    pub source: &'a str,
    /// When.
    pub obtained: DateTime<Utc>,
    /// The bytes that came.
    pub body: &'a [u8],
    /// The ETag that came with them.
    pub etag: Option<&'a str>,
}

impl Store {
    /// Records how one answer was obtained, and returns the receipt's row.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add_receipt_of(
        &self,
        upstream: UpstreamId,
        new: &NewReceipt<'_>,
    ) -> Result<i64, StoreError> {
        self.conn.execute(
            "INSERT INTO receipt (upstream_id, transport, source, obtained, sha256, bytes, etag)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                upstream.0,
                new.transport,
                new.source,
                new.obtained.timestamp(),
                Digest::of(new.body),
                i64::try_from(new.body.len()).unwrap_or(i64::MAX),
                new.etag
            ],
        )?;
        Ok(self.conn.last_insert_rowid())
    }

    /// Records that something is being obtained, and returns the receipt's row.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add_receipt(
        &self,
        upstream: UpstreamId,
        transport: &str,
        source: &str,
        obtained: DateTime<Utc>,
    ) -> Result<i64, StoreError> {
        self.conn.execute(
            "INSERT INTO receipt (upstream_id, transport, source, obtained) VALUES (?1, ?2, ?3, ?4)",
            params![upstream.0, transport, source, obtained.timestamp()],
        )?;
        Ok(self.conn.last_insert_rowid())
    }

    /// The receipt in this row.
    ///
    /// # Errors
    /// Where there is none.
    pub fn receipt(&self, id: i64) -> Result<Receipt, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT transport, source, obtained, sha256, bytes, etag FROM receipt WHERE id = ?1",
        )?;
        Ok(query.query_row([id], |row| {
            let sha256: Option<Vec<u8>> = row.get(3)?;
            Ok(Receipt {
                transport: row.get(0)?,
                source: row.get(1)?,
                obtained: time(row.get(2)?),
                sha256: sha256.map(|bytes| hex(&bytes)),
                bytes: row.get(4)?,
                etag: row.get(5)?,
            })
        })?)
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
