//! What a claim was checked against.

use std::collections::BTreeSet;

use rusqlite::params;

use super::{CommitId, Store, UpstreamId};
use crate::StoreError;
use crate::evidence::{Coverage, Gap};

/// The commits that a claim speaks of.
#[derive(Debug, Clone)]
pub struct Scope<'a> {
    /// The upstream.
    pub upstream: UpstreamId,
    /// What the scope is called in output: `ollama v1..v2`.
    pub name: String,
    /// The commits in it that are stored.
    pub commits: &'a [CommitId],
    /// How many commits upstream has in it.
    pub reported: u64,
    /// What is known to be missing from it apart from its commits' own gaps.
    pub missing: Vec<Gap>,
}

impl Store {
    /// What the store holds of a scope, with each gap by name.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn coverage(&self, scope: Scope<'_>) -> Result<Coverage, StoreError> {
        self.coverage_of(scope, |_| true)
    }

    /// As [`Store::coverage`], of those gaps alone whose path `counts`.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn coverage_of(
        &self,
        scope: Scope<'_>,
        counts: impl Fn(Option<&str>) -> bool,
    ) -> Result<Coverage, StoreError> {
        let upstream = self.upstream_name(scope.upstream)?.to_string();
        let mut gaps = scope.missing;
        let mut with_gap = BTreeSet::new();
        let mut query = self.conn.prepare_cached(
            "SELECT g.kind, c.oid, g.path, g.detail FROM gap g JOIN commit_record c ON c.id = g.commit_id
             WHERE g.commit_id = ?1 AND g.filled IS NULL ORDER BY g.id",
        )?;
        // Few commits have gaps: ask once which, then for those in scope.
        let mut open = self.conn.prepare_cached(
            "SELECT DISTINCT commit_id FROM gap WHERE upstream_id = ?1 AND filled IS NULL
             AND commit_id IS NOT NULL",
        )?;
        let open: BTreeSet<CommitId> = open
            .query_map(params![scope.upstream.0], |row| row.get(0).map(CommitId))?
            .collect::<Result<_, _>>()?;
        if !open.is_empty() {
            for id in scope.commits.iter().filter(|id| open.contains(id)) {
                let rows = query.query_map([id.0], |row| {
                    Ok(Gap {
                        kind: row.get(0)?,
                        commit: row.get(1)?,
                        path: row.get(2)?,
                        detail: row.get(3)?,
                    })
                })?;
                for gap in rows {
                    let gap: Gap = gap?;
                    if counts(gap.path.as_deref()) {
                        with_gap.insert(*id);
                        gaps.push(gap);
                    }
                }
            }
        }
        let stored = scope.commits.len() as u64;
        Ok(Coverage::new(upstream, scope.name, stored, scope.reported, with_gap.len() as u64, gaps))
    }
}
