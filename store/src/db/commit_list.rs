//! What a search must know of every commit, in one value that is read at once.

use rusqlite::{OptionalExtension as _, params};

use super::{CommitId, Store, UpstreamId};
use crate::{Oid, StoreError};

/// A commit, as searches need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedCommit {
    /// Its row.
    pub id: CommitId,
    /// Its object id.
    pub oid: Oid,
    /// It has more than one parent.
    pub merge: bool,
    /// The default branch reaches it.
    pub on_branch: bool,
    /// When it was committed, in seconds since 1970.
    pub committed: i64,
    /// How many of its changes have text.
    pub patches: u32,
    /// How long these texts are.
    pub bytes: u64,
}

const MERGE: u32 = 1;
const ON_BRANCH: u32 = 2;
/// Row, flags, patches, bytes, time, object id.
const PACKED: usize = 4 + 4 + 4 + 8 + 8 + 20;

impl ListedCommit {
    fn pack(&self, out: &mut Vec<u8>) -> Result<(), StoreError> {
        let id = u32::try_from(self.id.0)
            .map_err(|_| StoreError::Damaged("a commit's row is too large".to_owned()))?;
        let flags = u32::from(self.merge) * MERGE + u32::from(self.on_branch) * ON_BRANCH;
        for number in [id, flags, self.patches] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&self.bytes.to_le_bytes());
        out.extend_from_slice(&self.committed.to_le_bytes());
        out.extend_from_slice(self.oid.as_bytes());
        Ok(())
    }

    fn unpack(packed: &[u8]) -> Option<Self> {
        let (id, rest) = packed.split_first_chunk()?;
        let (flags, rest) = rest.split_first_chunk()?;
        let (patches, rest) = rest.split_first_chunk()?;
        let (bytes, rest) = rest.split_first_chunk()?;
        let (committed, oid) = rest.split_first_chunk()?;
        let flags = u32::from_le_bytes(*flags);
        Some(Self {
            id: CommitId(u32::from_le_bytes(*id).into()),
            oid: Oid::from_slice(oid)?,
            merge: flags & MERGE != 0,
            on_branch: flags & ON_BRANCH != 0,
            committed: i64::from_le_bytes(*committed),
            patches: u32::from_le_bytes(*patches),
            bytes: u64::from_le_bytes(*bytes),
        })
    }
}

impl Store {
    pub(super) fn read_commit_list(
        &self,
        upstream: UpstreamId,
    ) -> Result<Vec<ListedCommit>, StoreError> {
        let source = self.list_source(upstream)?;
        let mut query = self.conn.prepare_cached(
            "SELECT commits FROM commit_list WHERE upstream_id = ?1 AND source = ?2",
        )?;
        let packed = query
            .query_row(params![upstream.0, source], |row| {
                Ok(row.get_ref(0)?.as_blob()?.chunks(PACKED).map(ListedCommit::unpack).collect())
            })
            .optional()?;
        match packed {
            Some(list) => {
                let list: Option<Vec<ListedCommit>> = list;
                list.ok_or_else(|| StoreError::Damaged("a list of commits is cut short".to_owned()))
            }
            None => self.make_commit_list(upstream, &source),
        }
    }

    /// The author of each stored commit: the name and the address.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn authors(
        &self,
        upstream: UpstreamId,
    ) -> Result<Vec<(CommitId, String, String)>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT c.id, a.name, a.email FROM commit_record c JOIN person a ON a.id = c.author_id
             WHERE c.upstream_id = ?1",
        )?;
        let rows = query
            .query_map([upstream.0], |row| Ok((CommitId(row.get(0)?), row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Calls `each` with every stored message of an upstream, by row.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn each_message(
        &self,
        upstream: UpstreamId,
        mut each: impl FnMut(CommitId, &str),
    ) -> Result<(), StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT id, message FROM commit_record WHERE upstream_id = ?1 ORDER BY id",
        )?;
        let mut rows = query.query([upstream.0])?;
        while let Some(row) = rows.next()? {
            let message = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
            each(CommitId(row.get(0)?), message);
        }
        Ok(())
    }

    fn list_source(&self, upstream: UpstreamId) -> Result<Vec<u8>, StoreError> {
        let places = self.derivation("places", upstream)?;
        let last: i64 = self
            .conn
            .prepare_cached("SELECT coalesce(max(id), 0) FROM commit_record")?
            .query_row([], |row| row.get(0))?;
        let mut source = last.to_le_bytes().to_vec();
        source.extend(places.into_iter().flat_map(|derivation| derivation.rules));
        Ok(source)
    }

    fn make_commit_list(
        &self,
        upstream: UpstreamId,
        source: &[u8],
    ) -> Result<Vec<ListedCommit>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT c.id, c.oid, length(c.parents) > 20, coalesce(p.on_branch, 0), c.committed,
                 count(t.change_id), coalesce(sum(t.bytes), 0)
             FROM commit_record c LEFT JOIN place p ON p.commit_id = c.id
             LEFT JOIN file_change f ON f.commit_id = c.id LEFT JOIN patch t ON t.change_id = f.id
             WHERE c.upstream_id = ?1 GROUP BY c.id ORDER BY c.id",
        )?;
        let rows = query.query_map([upstream.0], |row| {
            Ok(ListedCommit {
                id: CommitId(row.get(0)?),
                oid: row.get(1)?,
                merge: row.get(2)?,
                on_branch: row.get(3)?,
                committed: row.get(4)?,
                patches: row.get(5)?,
                bytes: row.get(6)?,
            })
        })?;
        let list: Vec<ListedCommit> = rows.collect::<Result<_, _>>()?;
        let mut packed = Vec::with_capacity(list.len() * PACKED);
        list.iter().try_for_each(|commit| commit.pack(&mut packed))?;
        // Kept where it can be: whoever may only read makes it each time.
        if self.conn.is_readonly("main")? {
            return Ok(list);
        }
        self.conn.execute(
            "INSERT OR REPLACE INTO commit_list (upstream_id, source, commits) VALUES (?1, ?2, ?3)",
            params![upstream.0, source, packed],
        )?;
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpacks_what_it_packed() {
        let commit = ListedCommit {
            id: CommitId(7),
            oid: Oid::from_bytes([9; 20]),
            merge: false,
            on_branch: true,
            committed: -5,
            patches: 3,
            bytes: 1 << 40,
        };
        let mut packed = Vec::new();
        commit.pack(&mut packed).unwrap();
        assert_eq!(packed.len(), PACKED);
        assert_eq!(ListedCommit::unpack(&packed), Some(commit));
        assert_eq!(ListedCommit::unpack(&packed[1..]), None);
    }
}
