//! Outputs with and without a toggle: whether they differ, and where.

use headwater_store::{Measured, Observation};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Tolerance, of_run};

/// Two outputs, compared by their hashes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct OutputFinding {
    /// The hash with the toggle.
    pub with: String,
    /// The hash without it.
    pub without: String,
    /// Whether they differ.
    pub differ: bool,
    /// The first token that differs, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diverges_at: Option<u64>,
    /// How far the two best tokens were apart there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// What the margin is judged by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<Tolerance>,
    /// Whether the margin is within the tolerance; none where either was not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<bool>,
    /// The finding in a line.
    pub says: String,
}

impl OutputFinding {
    /// Compares the outputs of an observation; `None` for another kind. The others are
    /// asked for a tolerance that was recorded before it.
    pub fn of(observation: &Observation, all: &[Observation]) -> Option<Self> {
        let Measured::Output { with, without, diverges_at, margin, .. } = &observation.measured
        else {
            return None;
        };
        let differ = !with.trim().eq_ignore_ascii_case(without.trim());
        let tolerance = of_run(observation, all);
        let within = margin
            .zip(tolerance.as_ref().map(|tolerance| tolerance.value))
            .filter(|_| differ)
            .map(|(margin, value)| margin.abs() <= value);
        let mut says =
            match differ {
                true => "the output is another one: a finding of its own, whatever the speeds"
                    .to_owned(),
                false => "the output is the same in this run, which shows no more than this run"
                    .to_owned(),
            };
        if let (true, Some(at)) = (differ, diverges_at) {
            says.push_str(&format!("; it parts at token {at}"));
        }
        if let (true, Some(margin)) = (differ, margin) {
            says.push_str(&format!(", where the two best tokens are {margin} apart"));
        }
        match within {
            Some(true) => says.push_str(
                ": within the tolerance, so the choice there was near a tie, and what follows it differs all the same",
            ),
            Some(false) => says.push_str(": more than the tolerance allows"),
            None => {}
        }
        if let Some(tolerance) = &tolerance {
            says.push_str(&format!(" ({})", tolerance.says));
        }
        Some(OutputFinding {
            with: with.clone(),
            without: without.clone(),
            differ,
            diverges_at: *diverges_at,
            margin: *margin,
            tolerance,
            within,
            says,
        })
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use headwater_store::{NewObservation, Store, Toggle};

    use super::*;

    fn outputs(hashes: [&str; 2], margin: Option<f64>, tolerance: Option<f64>) -> Measured {
        let [with, without] = hashes.map(str::to_owned);
        Measured::Output { with, without, diverges_at: Some(7), margin, tolerance }
    }

    fn judged(all: &[Measured]) -> OutputFinding {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open_or_create(dir.path()).unwrap();
        for measured in all {
            store
                .add_observation(&NewObservation {
                    upstream: "ollama",
                    recorded: DateTime::from_timestamp(1_700_000_000, 0).unwrap(),
                    window: None,
                    toggle: Some(Toggle { knob: "top_k".into(), value: "40".into() }),
                    measured: measured.clone(),
                    conditions: Default::default(),
                    input: None,
                    runs: Vec::new(),
                })
                .unwrap();
        }
        let stored = store.observations("ollama").unwrap();
        OutputFinding::of(stored.last().unwrap(), &stored).unwrap()
    }

    #[test]
    fn outputs_that_differ_are_a_finding() {
        let found = judged(&[outputs(["aa", "bb"], None, None)]);
        assert!(found.differ && found.tolerance.is_none() && found.within.is_none());
        assert!(found.says.contains("parts at token 7"), "{}", found.says);
        assert!(!judged(&[outputs(["AA", "aa"], None, None)]).differ);
    }

    #[test]
    fn a_tolerance_counts_where_it_was_recorded_before() {
        let before = Measured::Tolerance { tolerance: 0.01 };
        let run = outputs(["aa", "bb"], Some(0.005), None);
        let found = judged(&[before.clone(), run.clone()]);
        assert_eq!(found.within, Some(true));
        assert!(found.tolerance.unwrap().before);
        // One that was recorded since does not count, and one that came with the result
        // is told as such.
        assert_eq!(
            judged(&[before.clone(), outputs(["aa", "bb"], Some(0.5), Some(1.0))]).within,
            Some(false)
        );
        let late = judged(&[outputs(["aa", "bb"], Some(0.5), Some(1.0))]);
        assert!(!late.tolerance.as_ref().unwrap().before);
        assert!(late.says.contains("was not recorded before the run"), "{}", late.says);
    }
}
