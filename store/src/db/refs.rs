//! Tags and branches, as last seen.

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension as _, params};

use super::{Store, UpstreamId, time};
use crate::model::Tag;
use crate::{Oid, StoreError};

impl Store {
    pub(super) fn read_tags(&self, upstream: UpstreamId) -> Result<Vec<Tag>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT name, target, object FROM ref_seen
             WHERE upstream_id = ?1 AND name >= 'refs/tags/' AND name < 'refs/tags0' ORDER BY name, id",
        )?;
        let mut rows = query.query([upstream.0])?;
        let mut tags: Vec<(String, Option<Tag>)> = Vec::new();
        while let Some(row) = rows.next()? {
            let full: String = row.get(0)?;
            let name = full.strip_prefix("refs/tags/").unwrap_or(&full).to_owned();
            let target: Option<Oid> = row.get(1)?;
            let object = row.get(2)?;
            let tag = target.map(|commit| Tag { name: name.clone(), commit, object });
            match tags.last_mut() {
                Some(last) if last.0 == name => last.1 = tag,
                _ => tags.push((name, tag)),
            }
        }
        Ok(tags.into_iter().filter_map(|(_, tag)| tag).collect())
    }

    /// The tag of this name, as last seen.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn tag(&self, upstream: UpstreamId, name: &str) -> Result<Option<Tag>, StoreError> {
        let row = self.last_ref(upstream, &format!("refs/tags/{name}"))?;
        Ok(row.and_then(|(target, object, _)| {
            target.map(|commit| Tag { name: name.to_owned(), commit, object })
        }))
    }

    /// The head of a branch and when it was seen there.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn branch(
        &self,
        upstream: UpstreamId,
        name: &str,
    ) -> Result<Option<(Oid, DateTime<Utc>)>, StoreError> {
        let row = self.last_ref(upstream, &format!("refs/heads/{name}"))?;
        Ok(row.and_then(|(target, _, seen)| target.map(|oid| (oid, seen))))
    }

    /// The look at a tag or branch (`refs/tags/v1`) that says which commit it names: that
    /// commit, and the look's receipt.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn look_at(
        &self,
        upstream: UpstreamId,
        name: &str,
    ) -> Result<Option<(Oid, i64)>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT target, receipt_id FROM ref_seen
             WHERE upstream_id = ?1 AND name = ?2 AND target IS NOT NULL ORDER BY id DESC LIMIT 1",
        )?;
        let look = query.query_row(params![upstream.0, name], |row| Ok((row.get(0)?, row.get(1)?)));
        Ok(look.optional()?)
    }

    #[allow(clippy::type_complexity)]
    fn last_ref(
        &self,
        upstream: UpstreamId,
        name: &str,
    ) -> Result<Option<(Option<Oid>, Option<Oid>, DateTime<Utc>)>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT target, object, observed FROM ref_seen
             WHERE upstream_id = ?1 AND name = ?2 ORDER BY id DESC LIMIT 1",
        )?;
        Ok(query
            .query_row(params![upstream.0, name], |row| {
                Ok((row.get(0)?, row.get(1)?, time(row.get(2)?)))
            })
            .optional()?)
    }
}
