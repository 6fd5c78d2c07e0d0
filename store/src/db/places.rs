//! Where commits stand among branches and tags: derived, and made anew when these move.

use rusqlite::{OptionalExtension as _, params};
use serde::Serialize;

use super::{CommitId, Store, UpstreamId};
use crate::StoreError;

/// Where a commit stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Whether the default branch reaches it.
    pub on_branch: bool,
    /// How many commits it reaches, itself included.
    pub reachable: u32,
    /// The first tag that contains it, by ancestry.
    pub first_tag: Option<String>,
    /// The first tag of a final release that contains it, by ancestry.
    pub first_final_tag: Option<String>,
    /// The earliest tag that contains it or a twin.
    pub first_shipped: Option<String>,
    /// The earliest tag of a final release that contains it or a twin.
    pub first_final_shipped: Option<String>,
}

impl Store {
    /// The place of a commit, if places were derived since it was stored.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn place(&self, commit: CommitId) -> Result<Option<Place>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT on_branch, reachable, first_tag, first_final_tag, first_shipped, first_final_shipped
             FROM place WHERE commit_id = ?1",
        )?;
        Ok(query
            .query_row([commit.0], |row| {
                Ok(Place {
                    on_branch: row.get(0)?,
                    reachable: row.get(1)?,
                    first_tag: row.get(2)?,
                    first_final_tag: row.get(3)?,
                    first_shipped: row.get(4)?,
                    first_final_shipped: row.get(5)?,
                })
            })
            .optional()?)
    }

    /// The commits on the default branch that reach exactly this many.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn commits_reaching(
        &self,
        upstream: UpstreamId,
        reachable: u32,
    ) -> Result<Vec<CommitId>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT commit_id FROM place WHERE upstream_id = ?1 AND reachable = ?2 AND on_branch = 1",
        )?;
        let rows =
            query.query_map(params![upstream.0, reachable], |row| row.get(0).map(CommitId))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Puts new places in the place of all old ones of an upstream; `source` is the hash
    /// of what they were derived from.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn replace_places(
        &mut self,
        upstream: UpstreamId,
        source: &[u8],
        places: &[(CommitId, Place)],
    ) -> Result<(), StoreError> {
        let tx = self.conn.transaction()?;
        tx.execute("DELETE FROM place WHERE upstream_id = ?1", [upstream.0])?;
        {
            let mut insert = tx.prepare_cached(
                "INSERT INTO place (commit_id, upstream_id, on_branch, reachable, first_tag,
                 first_final_tag, first_shipped, first_final_shipped)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?;
            for (id, place) in places {
                insert.execute(params![
                    id.0,
                    upstream.0,
                    place.on_branch,
                    place.reachable,
                    place.first_tag,
                    place.first_final_tag,
                    place.first_shipped,
                    place.first_final_shipped
                ])?;
            }
        }
        super::derivations::set(&tx, "places", upstream, source, CommitId(0))?;
        tx.commit()?;
        Ok(())
    }

    /// How many non-merge commits the default branch reaches, and how many only tags do.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn count_by_branch(&self, upstream: UpstreamId) -> Result<(u64, u64), StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT coalesce(sum(p.on_branch), 0), coalesce(sum(1 - p.on_branch), 0)
             FROM place p JOIN commit_record c ON c.id = p.commit_id
             WHERE p.upstream_id = ?1 AND length(c.parents) <= 20",
        )?;
        Ok(query.query_row([upstream.0], |row| Ok((row.get(0)?, row.get(1)?)))?)
    }
}
