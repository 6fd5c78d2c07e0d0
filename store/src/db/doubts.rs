//! What leaves a window uncertain: caps of hosts that were hit, and transports that
//! disagree.

use rusqlite::params;

use super::{Store, UpstreamId, Writer};
use crate::evidence::Gap;
use crate::{Oid, StoreError};

impl Writer<'_> {
    /// Keeps what is uncertain about a window, as kinds and details; what an earlier
    /// crawl of it found is settled with this.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn set_doubts(
        &mut self,
        base: Oid,
        head: Oid,
        doubts: &[(&str, &str)],
    ) -> Result<(), StoreError> {
        let now = self.now.timestamp();
        self.tx.execute(
            "UPDATE window_doubt SET settled = ?4
             WHERE upstream_id = ?1 AND base = ?2 AND head = ?3 AND settled IS NULL",
            params![self.upstream.0, base, head, now],
        )?;
        for (kind, detail) in doubts {
            self.tx.execute(
                "INSERT INTO window_doubt (upstream_id, base, head, kind, detail, seen, receipt_id)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![self.upstream.0, base, head, kind, detail, now, self.receipt],
            )?;
        }
        Ok(())
    }
}

impl Store {
    /// What is uncertain about a window, apart from its commits' own gaps.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn doubts(
        &self,
        upstream: UpstreamId,
        base: Oid,
        head: Oid,
    ) -> Result<Vec<Gap>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT kind, detail FROM window_doubt
             WHERE upstream_id = ?1 AND base = ?2 AND head = ?3 AND settled IS NULL ORDER BY id",
        )?;
        let rows = query.query_map(params![upstream.0, base, head], |row| {
            Ok(Gap { kind: row.get(0)?, commit: None, path: None, detail: row.get(1)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::WriteCaches;

    #[test]
    fn a_later_crawl_settles_what_an_earlier_one_found() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open_or_create(dir.path()).unwrap();
        let upstream = store.ensure_upstream("u").unwrap();
        let receipt = store.add_receipt(upstream, "t", "s", DateTime::UNIX_EPOCH).unwrap();
        let mut caches = WriteCaches::default();
        let [base, head] = [1, 2].map(|byte| Oid::from_bytes([byte; 20]));
        for found in [&[("files-differ", "one"), ("tags-capped", "two")][..], &[]] {
            let mut writer = store.writer(upstream, receipt, &mut caches).unwrap();
            writer.set_doubts(base, head, found).unwrap();
            writer.commit().unwrap();
            let kept = store.doubts(upstream, base, head).unwrap();
            let kinds: Vec<&str> = kept.iter().map(|gap| gap.kind.as_str()).collect();
            assert_eq!(kinds, found.iter().map(|(kind, _)| *kind).collect::<Vec<_>>());
            assert!(store.doubts(upstream, head, base).unwrap().is_empty());
        }
    }
}
