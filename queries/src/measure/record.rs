//! Keeping a measurement of a toggle.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use headwater_store::upstream::Upstream;
use headwater_store::{
    Measured, NewObservation, Observation, ObservedInput, ObservedWindow, Run, Store, Toggle,
};

use super::setting::named;
use super::{MeasureError, Unit, same_setting};
use crate::QueryError;
use crate::why::WhyReport;

/// What is to be kept of a toggle.
#[derive(Debug, Clone)]
pub struct ToRecord {
    /// The knob and the value of the run with the toggle.
    pub toggle: Toggle,
    /// What was measured.
    pub measured: Measured,
    /// The conditions.
    pub conditions: BTreeMap<String, String>,
    /// The file that the runs came from.
    pub input: Option<ObservedInput>,
    /// Single runs.
    pub runs: Vec<Run>,
    /// When.
    pub recorded: DateTime<Utc>,
}

/// Reads `KNOB=VALUE`.
///
/// # Errors
/// [`MeasureError::Toggle`] where it is not written so.
pub fn read_toggle(text: &str) -> Result<Toggle, MeasureError> {
    match text.split_once('=') {
        Some((knob, value)) if !knob.trim().is_empty() && !value.trim().is_empty() => {
            Ok(Toggle { knob: knob.trim().to_owned(), value: value.trim().to_owned() })
        }
        _ => Err(MeasureError::Toggle(text.to_owned())),
    }
}

/// The three speeds of a toggle: each as given, or the mean of its runs.
///
/// # Errors
/// [`MeasureError`] where one is missing, or is no speed.
pub fn speeds(unit: Unit, given: [Option<f64>; 3], runs: &[Run]) -> Result<Measured, MeasureError> {
    let names = ["old", "with", "without"];
    let mut values = [0.0; 3];
    for ((value, given), name) in values.iter_mut().zip(given).zip(names) {
        let own: Vec<f64> = runs.iter().filter(|r| r.arm == name).map(|r| r.value).collect();
        if let Some(given) = given {
            unit.check(given)?;
        }
        // Runs are what was measured; a number beside them could only be their summary.
        let speed = match (own.is_empty(), given) {
            (false, _) => super::mean_speed(unit, &own),
            (true, Some(given)) => given,
            (true, None) => return Err(MeasureError::MissingArm(name)),
        };
        *value = unit.check(speed)?;
    }
    let [old, with, without] = values;
    Ok(Measured::Speed { unit: unit.as_str().to_owned(), old, with, without })
}

/// Keeps a measurement of the window that `report` is about.
///
/// # Errors
/// [`MeasureError::NewDefault`] where the toggle is what the new version does anyway, and
/// those of the store.
pub fn record(
    store: &mut Store,
    upstream: &Upstream,
    report: &WhyReport,
    new: ToRecord,
) -> Result<Observation, QueryError> {
    let moved: Vec<_> = named(&new.toggle, &report.default_events).collect();
    let is = |value: &Option<String>| {
        value.as_deref().is_some_and(|value| same_setting(value, &new.toggle.value))
    };
    if let Some(event) = moved.iter().find(|event| is(&event.new))
        && !moved.iter().any(|event| is(&event.old))
    {
        return Err(MeasureError::NewDefault {
            knob: new.toggle.knob,
            value: new.toggle.value,
            old: event.old.clone().unwrap_or_default(),
        }
        .into());
    }
    let window = &report.window;
    Ok(store.add_observation(&NewObservation {
        upstream: &upstream.name,
        recorded: new.recorded,
        window: Some(ObservedWindow {
            base: window.base.clone(),
            head: window.head.clone(),
            base_sha: window.base_sha,
            head_sha: window.head_sha,
        }),
        toggle: Some(new.toggle),
        measured: new.measured,
        conditions: new.conditions,
        input: new.input,
        runs: new.runs,
    })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toggle_is_a_knob_and_a_value() {
        let toggle = read_toggle("LLAMA_ARG_LOAD_MODE = mmap").unwrap();
        assert_eq!((toggle.knob.as_str(), toggle.value.as_str()), ("LLAMA_ARG_LOAD_MODE", "mmap"));
        for bad in ["", "x", "=1", "x=", " = "] {
            assert!(read_toggle(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn runs_count_before_a_number_beside_them() {
        let runs =
            [Run { arm: "old".into(), value: 100.0 }, Run { arm: "old".into(), value: 50.0 }];
        let unit = Unit::TokensPerSecond;
        let Measured::Speed { old, .. } =
            speeds(unit, [Some(1.0), Some(2.0), Some(3.0)], &runs).unwrap()
        else {
            panic!()
        };
        assert!((old - 66.667).abs() < 0.01);
        let missing = speeds(unit, [None, None, Some(3.0)], &runs).unwrap_err().to_string();
        assert!(missing.contains("--with"), "{missing}");
        assert!(speeds(unit, [None, Some(0.0), Some(3.0)], &runs).is_err());
        assert!(speeds(unit, [Some(-5.0), Some(2.0), Some(3.0)], &runs).is_err());
    }
}
