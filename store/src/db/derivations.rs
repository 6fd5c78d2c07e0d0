//! How far each derived table has come.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{CommitId, Store, UpstreamId};
use crate::StoreError;

/// The state of a derived table for one upstream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derivation {
    /// The hash of the rules it was made by.
    pub rules: Vec<u8>,
    /// Every commit up to this row is done.
    pub through: CommitId,
}

impl Store {
    /// How far the derived table `kind` has come, if it was begun.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn derivation(
        &self,
        kind: &str,
        upstream: UpstreamId,
    ) -> Result<Option<Derivation>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT rules, through FROM derivation WHERE kind = ?1 AND upstream_id = ?2",
        )?;
        Ok(query
            .query_row(params![kind, upstream.0], |row| {
                Ok(Derivation { rules: row.get(0)?, through: CommitId(row.get(1)?) })
            })
            .optional()?)
    }

    /// Forgets the state of one kind of derived table, so that the next derivation makes it
    /// anew.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn forget_derivation(&self, kind: &str) -> Result<(), StoreError> {
        self.conn.execute("DELETE FROM derivation WHERE kind = ?1", [kind])?;
        self.conn.execute("DELETE FROM commit_list", [])?;
        Ok(())
    }

    /// Forgets every derived table's state, so that the next derivation makes all anew.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn forget_derivations(&self) -> Result<(), StoreError> {
        self.conn.execute("DELETE FROM derivation", [])?;
        Ok(())
    }
}

/// Records, inside the transaction that writes the rows, how far they have come.
pub(crate) fn set(
    conn: &Connection,
    kind: &str,
    upstream: UpstreamId,
    rules: &[u8],
    through: CommitId,
) -> Result<(), StoreError> {
    conn.prepare_cached(
        "INSERT INTO derivation (kind, upstream_id, rules, through) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (kind, upstream_id) DO UPDATE SET rules = ?3, through = ?4",
    )?
    .execute(params![kind, upstream.0, rules, through.0])?;
    Ok(())
}
