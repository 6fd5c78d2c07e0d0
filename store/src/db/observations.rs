//! Observations: what users measured on their own machines.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use rusqlite::{Row, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Store, time};
use crate::evidence::{Grade, Method, Source};
use crate::{Digest, Oid, StoreError};

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Measured {
    /// A speed at BASE, and at HEAD with and without the toggle.
    Speed {
        /// `tok/s`, `ms/token`.
        unit: String,
        /// At BASE.
        old: f64,
        /// At HEAD, with the toggle.
        with: f64,
        /// At HEAD, as it comes.
        without: f64,
    },
    /// Hashes of what a model answered at HEAD, with and without the toggle.
    Output {
        /// With it.
        with: String,
        /// Without it.
        without: String,
        /// The first token that differs, from 0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        diverges_at: Option<u64>,
        /// How far the two best tokens were apart there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        margin: Option<f64>,
        /// The margin within which a difference was to count for nothing, as given with
        /// the result.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tolerance: Option<f64>,
    },
    /// A tolerance, recorded on its own.
    Tolerance {
        /// The margin within which a difference is to count for nothing.
        tolerance: f64,
    },
    /// A table of speeds by version, whose rows are the runs.
    Table {
        /// `tok/s`, `ms/token`.
        unit: String,
    },
}

impl Measured {
    /// As stored and printed.
    pub const fn kind(&self) -> &'static str {
        match self {
            Measured::Speed { .. } => "speed",
            Measured::Output { .. } => "output",
            Measured::Tolerance { .. } => "tolerance",
            Measured::Table { .. } => "table",
        }
    }
}

/// The window of an observation: its ends as given, and what they meant then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ObservedWindow {
    /// The excluded end.
    pub base: String,
    /// The included end.
    pub head: String,
    /// Its commit.
    pub base_sha: Oid,
    /// Its commit.
    pub head_sha: Oid,
}

/// What was toggled, and the value that it was set to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Toggle {
    /// The knob, as its user spells it.
    pub knob: String,
    /// The value of the run with the toggle.
    pub value: String,
}

/// The file that numbers came from: what a receipt is for a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ObservedInput {
    /// Its name, without directories.
    pub name: String,
    /// The sha256 of its bytes.
    pub sha256: Digest,
    /// How many there were.
    pub bytes: u64,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Run {
    /// `old`, `with`, `without`; or the version, in a table.
    pub arm: String,
    /// The value, in the observation's unit.
    pub value: f64,
}

/// An observation to be kept.
#[derive(Debug, Clone)]
pub struct NewObservation<'a> {
    /// The upstream's name.
    pub upstream: &'a str,
    /// When it is recorded.
    pub recorded: DateTime<Utc>,
    /// The window, where it is about one.
    pub window: Option<ObservedWindow>,
    /// The toggle, where there was one.
    pub toggle: Option<Toggle>,
    /// What was measured.
    pub measured: Measured,
    /// The model, the backend, the load …
    pub conditions: BTreeMap<String, String>,
    /// The file that the numbers came from.
    pub input: Option<ObservedInput>,
    /// Single runs.
    pub runs: Vec<Run>,
}

/// That an observation was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Withdrawn {
    /// When.
    pub at: DateTime<Utc>,
    /// Why, as its recorder says.
    pub because: Option<String>,
}

/// An observation. Only the store makes one, out of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    id: i64,
    /// The upstream's name.
    pub upstream: String,
    /// When it was recorded.
    pub recorded: DateTime<Utc>,
    /// The window, where it is about one.
    pub window: Option<ObservedWindow>,
    /// The toggle, where there was one.
    pub toggle: Option<Toggle>,
    /// What was measured.
    pub measured: Measured,
    /// The model, the backend, the load …
    pub conditions: BTreeMap<String, String>,
    /// The file that the numbers came from.
    pub input: Option<ObservedInput>,
    /// Single runs, in their order.
    pub runs: Vec<Run>,
    /// That it was taken back, where it was.
    pub withdrawn: Option<Withdrawn>,
}

impl Observation {
    /// The row's number, by which output names it.
    pub fn id(&self) -> i64 {
        self.id
    }

    /// How well what it shows is supported.
    pub fn grade(&self) -> Grade {
        Grade::of_presence(Source::Observation, Method::Measurement)
    }

    /// The values of one arm's runs.
    pub fn arm(&self, name: &str) -> Vec<f64> {
        self.runs.iter().filter(|run| run.arm == name).map(|run| run.value).collect()
    }
}

impl Store {
    /// Keeps an observation, and returns it as it is stored.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add_observation(&mut self, new: &NewObservation<'_>) -> Result<Observation, StoreError> {
        let json = |value: serde_json::Result<String>| {
            value.map_err(|error| StoreError::Damaged(error.to_string()))
        };
        let measured = json(serde_json::to_string(&new.measured))?;
        let conditions = json(serde_json::to_string(&new.conditions))?;
        let (window, toggle) = (new.window.as_ref(), new.toggle.as_ref());
        let input = new.input.as_ref();
        let tx = self.conn.transaction()?;
        tx.execute(
            "INSERT INTO observation (upstream, recorded, kind, base, head, base_oid, head_oid,
             knob, value, measured, conditions, input_name, input_sha256, input_bytes)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
            params![
                new.upstream,
                new.recorded.timestamp(),
                new.measured.kind(),
                window.map(|w| &w.base),
                window.map(|w| &w.head),
                window.map(|w| w.base_sha),
                window.map(|w| w.head_sha),
                toggle.map(|t| &t.knob),
                toggle.map(|t| &t.value),
                measured,
                conditions,
                input.map(|i| &i.name),
                input.map(|i| i.sha256),
                input.map(|i| i64::try_from(i.bytes).unwrap_or(i64::MAX)),
            ],
        )?;
        let id = tx.last_insert_rowid();
        for (at, run) in new.runs.iter().enumerate() {
            tx.prepare_cached(
                "INSERT INTO observation_run (observation_id, position, arm, value)
                 VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![
                id,
                i64::try_from(at).unwrap_or(0),
                run.arm,
                run.value
            ])?;
        }
        tx.commit()?;
        let all = self.observations(new.upstream)?;
        all.into_iter()
            .find(|stored| stored.id == id)
            .ok_or_else(|| StoreError::Damaged(format!("observation {id} was not kept")))
    }

    /// Takes an observation of an upstream back from now on; tells whether there is one by
    /// this number that stood until then. Nothing of it is dropped.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn withdraw_observation(
        &mut self,
        upstream: &str,
        id: i64,
        withdrawn: &Withdrawn,
    ) -> Result<bool, StoreError> {
        let changed = self.conn.execute(
            "UPDATE observation SET withdrawn = ?3, withdrawn_because = ?4
             WHERE id = ?2 AND upstream = ?1 AND withdrawn IS NULL",
            params![upstream, id, withdrawn.at.timestamp(), withdrawn.because],
        )?;
        Ok(changed > 0)
    }

    /// The observations of an upstream, oldest first, also those that were taken back.
    ///
    /// # Errors
    /// Those of SQLite; [`StoreError::Damaged`] where a row cannot be read.
    pub fn observations(&self, upstream: &str) -> Result<Vec<Observation>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT id, upstream, recorded, base, head, base_oid, head_oid, knob, value,
             measured, conditions, input_name, input_sha256, input_bytes,
             withdrawn, withdrawn_because
             FROM observation WHERE upstream = ?1 ORDER BY id",
        )?;
        let mut rows = query.query([upstream])?;
        let mut out = Vec::new();
        while let Some(row) = rows.next()? {
            let mut one = observation(row)?;
            one.runs = self.runs(one.id)?;
            out.push(one);
        }
        Ok(out)
    }

    fn runs(&self, id: i64) -> Result<Vec<Run>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT arm, value FROM observation_run WHERE observation_id = ?1 ORDER BY position",
        )?;
        let rows = query.query_map([id], |row| Ok(Run { arm: row.get(0)?, value: row.get(1)? }))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn observation(row: &Row<'_>) -> Result<Observation, StoreError> {
    let id: i64 = row.get(0)?;
    let damaged = |_| StoreError::Damaged(format!("observation {id} cannot be read"));
    let window = match (row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?) {
        (Some(base), Some(head), Some(base_sha), Some(head_sha)) => {
            Some(ObservedWindow { base, head, base_sha, head_sha })
        }
        _ => None,
    };
    let toggle = match (row.get(7)?, row.get(8)?) {
        (Some(knob), Some(value)) => Some(Toggle { knob, value }),
        _ => None,
    };
    let input = match (row.get(11)?, row.get(12)?, row.get::<_, Option<u64>>(13)?) {
        (Some(name), Some(sha256), Some(bytes)) => Some(ObservedInput { name, sha256, bytes }),
        _ => None,
    };
    Ok(Observation {
        id,
        upstream: row.get(1)?,
        recorded: time(row.get(2)?),
        window,
        toggle,
        measured: serde_json::from_str(&row.get::<_, String>(9)?).map_err(damaged)?,
        conditions: serde_json::from_str(&row.get::<_, String>(10)?).map_err(damaged)?,
        input,
        runs: Vec::new(),
        withdrawn: match row.get::<_, Option<i64>>(14)? {
            Some(at) => Some(Withdrawn { at: time(at), because: row.get(15)? }),
            None => None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_observation_comes_back_as_it_was_kept() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open_or_create(dir.path()).unwrap();
        let new = NewObservation {
            upstream: "ollama",
            recorded: time(1_700_000_000),
            window: Some(ObservedWindow {
                base: "v1".into(),
                head: "v2".into(),
                base_sha: Oid::ZERO,
                head_sha: Oid::ZERO,
            }),
            toggle: Some(Toggle { knob: "repeat_penalty".into(), value: "1.1".into() }),
            measured: Measured::Speed {
                unit: "tok/s".into(),
                old: 139.55,
                with: 136.13,
                without: 209.37,
            },
            conditions: BTreeMap::from([("model".to_owned(), "m:1b".to_owned())]),
            input: Some(ObservedInput {
                name: "runs.csv".into(),
                sha256: Digest::of(b"x"),
                bytes: 1,
            }),
            runs: vec![
                Run { arm: "old".into(), value: 139.5 },
                Run { arm: "old".into(), value: 139.6 },
            ],
        };
        let kept = store.add_observation(&new).unwrap();
        assert_eq!(kept.grade(), Grade::Measured);
        assert_eq!(kept.arm("old"), [139.5, 139.6]);
        let second = NewObservation {
            window: None,
            toggle: None,
            measured: Measured::Table { unit: "tok/s".into() },
            input: None,
            runs: Vec::new(),
            ..new.clone()
        };
        store.add_observation(&second).unwrap();
        let all = store.observations("ollama").unwrap();
        assert_eq!(all.len(), 2);
        assert_eq!(all[0], kept);
        assert_eq!((&all[0].window, &all[0].toggle), (&new.window, &new.toggle));
        assert_eq!((&all[0].measured, &all[0].input), (&new.measured, &new.input));
        assert_eq!((&all[1].window, &all[1].input), (&None, &None));
        assert!(store.observations("llama.cpp").unwrap().is_empty());
        store.conn.execute("UPDATE observation SET measured = '{}'", []).unwrap();
        assert!(matches!(store.observations("ollama"), Err(StoreError::Damaged(_))));
    }
}
