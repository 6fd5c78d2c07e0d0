//! Tolerances: worth something where they were recorded before the run that they judge.

use chrono::{DateTime, Utc};
use headwater_store::{Measured, Observation};
use schemars::JsonSchema;
use serde::Serialize;

use crate::ledger::spelling;

/// The tolerance that a run is judged by.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Tolerance {
    /// The margin within which a difference counts for nothing.
    pub value: f64,
    /// When it was recorded; none where it came with the result.
    pub recorded: Option<DateTime<Utc>>,
    /// Whether that was before the run was recorded.
    pub before: bool,
    /// The same in a line.
    pub says: String,
}

/// The tolerance for a run: what was recorded for its window and knob before it, else what
/// came with it.
pub fn of_run(run: &Observation, all: &[Observation]) -> Option<Tolerance> {
    let Measured::Output { tolerance: given, .. } = run.measured else { return None };
    let same = |other: &&Observation| {
        let knob = |o: &Observation| o.toggle.as_ref().map(|t| spelling(&t.knob));
        let ends = |o: &Observation| o.window.as_ref().map(|w| (w.base_sha, w.head_sha));
        knob(other) == knob(run) && ends(other) == ends(run)
    };
    let before = all
        .iter()
        .filter(|other| other.id() < run.id())
        .filter(same)
        .filter_map(|other| match other.measured {
            Measured::Tolerance { tolerance } => Some((tolerance, other.recorded)),
            _ => None,
        })
        .next_back();
    match (before, given) {
        (Some((value, recorded)), given) => {
            let other = match given {
                Some(given) if given != value => {
                    format!("; the {given} that came with the result does not count")
                }
                _ => String::new(),
            };
            let says = format!(
                "tolerance {value}, recorded {} before this run{other}",
                recorded.format("%Y-%m-%d %H:%M:%S UTC,")
            );
            Some(Tolerance { value, recorded: Some(recorded), before: true, says })
        }
        (None, Some(value)) => Some(Tolerance {
            value,
            recorded: None,
            before: false,
            says: format!(
                "tolerance {value} was not recorded before the run that it judges: it came with the result, so it proves little"
            ),
        }),
        (None, None) => None,
    }
}
