//! Default events: derived rows, filled commit by commit.

use rusqlite::{Row, params};

use super::{CommitId, Store, UpstreamId};
use crate::StoreError;

/// The derivation's kind.
const KIND: &str = "default-events";

/// One default event, as kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultEventRow {
    /// The commit.
    pub commit: CommitId,
    /// The extractor that found it.
    pub extractor: String,
    /// The knob.
    pub knob: String,
    /// Its scope.
    pub scope: String,
    /// The value before, if the knob was there.
    pub old: Option<String>,
    /// The value after, if the knob is there.
    pub new: Option<String>,
    /// The path.
    pub path: String,
    /// The line in it, from 1.
    pub line: u32,
    /// The path and line before.
    pub before: Option<(String, u32)>,
    /// How the value comes about, as JSON.
    pub how: String,
    /// Other spellings, as a JSON array.
    pub names: String,
}

const COLUMNS: &str =
    "commit_id, extractor, knob, scope, old, new, path, line, old_path, old_line, how, names";

fn read(row: &Row<'_>) -> rusqlite::Result<DefaultEventRow> {
    let old_path: Option<String> = row.get(8)?;
    let old_line: Option<u32> = row.get(9)?;
    Ok(DefaultEventRow {
        commit: CommitId(row.get(0)?),
        extractor: row.get(1)?,
        knob: row.get(2)?,
        scope: row.get(3)?,
        old: row.get(4)?,
        new: row.get(5)?,
        path: row.get(6)?,
        line: row.get(7)?,
        before: old_path.map(|path| (path, old_line.unwrap_or(0))),
        how: row.get(10)?,
        names: row.get(11)?,
    })
}

/// What one derivation of default events brings.
#[derive(Debug, Default)]
pub struct NewDefaultEvents {
    /// The events, in order.
    pub events: Vec<DefaultEventRow>,
    /// Knobs and their other spellings.
    pub names: Vec<(String, String)>,
}

impl Store {
    /// Adds the events of the commits up to `through`, which were found by the rules of
    /// this hash; `fresh` drops all that was there before.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add_default_events(
        &mut self,
        upstream: UpstreamId,
        rules: &[u8],
        through: CommitId,
        fresh: bool,
        new: &NewDefaultEvents,
    ) -> Result<(), StoreError> {
        let tx = self.conn.transaction()?;
        if fresh {
            tx.execute("DELETE FROM default_event WHERE upstream_id = ?1", [upstream.0])?;
            tx.execute("DELETE FROM knob_name WHERE upstream_id = ?1", [upstream.0])?;
        }
        {
            let mut insert = tx.prepare_cached(&format!(
                "INSERT INTO default_event (upstream_id, {COLUMNS})
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"
            ))?;
            for e in &new.events {
                let before = e.before.as_ref();
                insert.execute(params![
                    upstream.0,
                    e.commit.0,
                    e.extractor,
                    e.knob,
                    e.scope,
                    e.old,
                    e.new,
                    e.path,
                    e.line,
                    before.map(|b| &b.0),
                    before.map(|b| b.1),
                    e.how,
                    e.names,
                ])?;
            }
            let mut name = tx.prepare_cached(
                "INSERT OR IGNORE INTO knob_name (upstream_id, knob, name) VALUES (?1, ?2, ?3)",
            )?;
            for (knob, other) in &new.names {
                name.execute(params![upstream.0, knob, other])?;
            }
        }
        super::derivations::set(&tx, KIND, upstream, rules, through)?;
        tx.commit()?;
        Ok(())
    }

    /// How far the default events have come, and by which rules.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn default_events_state(
        &self,
        upstream: UpstreamId,
    ) -> Result<Option<super::Derivation>, StoreError> {
        self.derivation(KIND, upstream)
    }

    /// Every default event of an upstream, in the order of derivation.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn default_events(&self, upstream: UpstreamId) -> Result<Vec<DefaultEventRow>, StoreError> {
        let mut query = self.conn.prepare_cached(&format!(
            "SELECT {COLUMNS} FROM default_event WHERE upstream_id = ?1 ORDER BY id"
        ))?;
        let rows = query.query_map([upstream.0], read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The default events of some commits, commit by commit in the order asked for.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn default_events_of(
        &self,
        commits: &[CommitId],
    ) -> Result<Vec<DefaultEventRow>, StoreError> {
        let mut query = self.conn.prepare_cached(&format!(
            "SELECT {COLUMNS} FROM default_event WHERE commit_id = ?1 ORDER BY id"
        ))?;
        let mut out = Vec::new();
        for commit in commits {
            for row in query.query_map([commit.0], read)? {
                out.push(row?);
            }
        }
        Ok(out)
    }

    /// Every knob and other spelling that stood beside it in any version.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn knob_names(&self, upstream: UpstreamId) -> Result<Vec<(String, String)>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT knob, name FROM knob_name WHERE upstream_id = ?1 ORDER BY knob, name",
        )?;
        let rows = query.query_map([upstream.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
