//! An observation as reports show it.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use headwater_store::evidence::Grade;
use headwater_store::{Measured, Observation, ObservedInput, ObservedWindow, Oid, Toggle};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Conventions, Finding, MeasureError, OutputFinding, Speed};

/// A commit that moved the toggled knob from the toggled value.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ToggledCommit {
    /// The upstream.
    pub upstream: String,
    /// The commit.
    pub sha: Oid,
    /// The knob, as its default event names it.
    pub knob: String,
    /// The default before.
    pub old: Option<String>,
    /// The default after.
    pub new: Option<String>,
}

/// An observation with what it comes to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ObservationShown {
    /// By which it is named.
    pub id: i64,
    /// When it was recorded.
    pub recorded: DateTime<Utc>,
    /// `speed`, `output`.
    pub kind: &'static str,
    /// The window that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<ObservedWindow>,
    /// What was toggled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toggle: Option<Toggle>,
    /// The model, the backend, the load …
    pub conditions: BTreeMap<String, String>,
    /// The file that the numbers came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<ObservedInput>,
    /// A speed, worked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<Speed>,
    /// Outputs, compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputFinding>,
    /// The commits that moved the knob, in the window that was asked about.
    pub commits: Vec<ToggledCommit>,
    /// Why it decides nothing in this question, where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_aside: Option<String>,
    /// How well it is supported.
    pub grade: Grade,
}

impl ObservationShown {
    /// Works an observation out, beside the others of its upstream.
    ///
    /// # Errors
    /// [`MeasureError`] where what is stored is no measurement.
    pub fn of(
        observation: &Observation,
        all: &[Observation],
        conventions: &Conventions,
    ) -> Result<Self, MeasureError> {
        Ok(ObservationShown {
            id: observation.id(),
            recorded: observation.recorded,
            kind: observation.measured.kind(),
            window: observation.window.clone(),
            toggle: observation.toggle.clone(),
            conditions: observation.conditions.clone(),
            input: observation.input.clone(),
            speed: Speed::of(observation, conventions)?,
            output: OutputFinding::of(observation, all),
            commits: Vec::new(),
            set_aside: None,
            grade: observation.grade(),
        })
    }

    /// What it says of the toggle: of a speed what it was found to do, of outputs whether
    /// they differ.
    pub fn finding(&self) -> Finding {
        match (&self.speed, &self.output) {
            (Some(speed), _) => speed.finding,
            (None, Some(output)) if output.differ => Finding::Explains,
            _ => Finding::Nothing,
        }
    }

    /// The finding in a line.
    pub fn words(&self) -> String {
        let toggle = match &self.toggle {
            Some(toggle) => format!("{}={}", toggle.knob, toggle.value),
            None => "the toggle".to_owned(),
        };
        let under = match self.conditions.is_empty() {
            true => String::new(),
            false => format!(" ({})", self.under()),
        };
        let name = format!("observation {}", self.id);
        if let Some(speed) = &self.speed {
            let says = match (speed.finding, speed.toggle_percent_of_jump) {
                (Finding::Explains, Some(percent)) => format!(
                    "{} of a jump of {} ms/token = {percent:.1} %, residue {} ms/token net of opposite effects",
                    super::speed::ms3(speed.toggle_ms),
                    super::speed::ms3(speed.jump_ms),
                    super::speed::ms3(speed.residue_ms)
                ),
                (Finding::Explains, None) | (Finding::NoJump, _) => format!(
                    "{} ms/token, and the window as a whole made no jump to explain ({} ms/token)",
                    super::speed::ms3(speed.toggle_ms),
                    super::speed::ms3(speed.jump_ms)
                ),
                (Finding::Nothing, _) => format!(
                    "{} of a jump of {} ms/token: it does not explain it",
                    super::speed::ms3(speed.toggle_ms),
                    super::speed::ms3(speed.jump_ms)
                ),
                (Finding::Opposes, _) => format!(
                    "{} ms/token, against a jump of {} ms/token: it does not explain it",
                    super::speed::ms3(speed.toggle_ms),
                    super::speed::ms3(speed.jump_ms)
                ),
            };
            return format!("{name}: {toggle} moves {says}{under}");
        }
        match &self.output {
            Some(output) => format!("{name}: with {toggle} {}{under}", output.says),
            None => format!("{name}: {toggle}{under}"),
        }
    }

    /// The conditions in a line.
    pub fn under(&self) -> String {
        let pairs: Vec<String> =
            self.conditions.iter().map(|(name, value)| format!("{name} {value}")).collect();
        pairs.join(", ")
    }

    /// Whether it is a measurement of a toggle at all, and no tolerance or table.
    pub fn is_of_toggle(observation: &Observation) -> bool {
        matches!(observation.measured, Measured::Speed { .. } | Measured::Output { .. })
    }
}

#[cfg(test)]
pub(super) mod testing {
    use headwater_store::{NewObservation, Run, Store};

    use super::*;
    use crate::ledger::RestoreWay;
    use crate::why::DefaultEvent;

    /// An observation as a store keeps it.
    pub(crate) fn kept(new: impl FnOnce(&mut NewObservation<'_>)) -> Observation {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open_or_create(dir.path()).unwrap();
        let mut observation = NewObservation {
            upstream: "ollama",
            recorded: DateTime::from_timestamp(1_700_000_000, 0).unwrap(),
            window: None,
            toggle: Some(Toggle { knob: "repeat_penalty".into(), value: "1.1".into() }),
            measured: Measured::Tolerance { tolerance: 0.0 },
            conditions: BTreeMap::new(),
            input: None,
            runs: Vec::new(),
        };
        new(&mut observation);
        store.add_observation(&observation).unwrap()
    }

    pub(crate) fn speed_observation(
        unit: &str,
        [old, with, without]: [f64; 3],
        conditions: &[(&str, &str)],
        runs: &[(&str, f64)],
    ) -> Observation {
        kept(|new| {
            new.measured = Measured::Speed { unit: unit.to_owned(), old, with, without };
            new.conditions =
                conditions.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
            new.runs = runs
                .iter()
                .map(|(arm, value)| Run { arm: (*arm).to_owned(), value: *value })
                .collect();
        })
    }

    pub(crate) fn event(knob: &str, scope: &str, old: &str, new: &str, way: &str) -> DefaultEvent {
        let ways = [way].into_iter().filter(|way| !way.is_empty());
        DefaultEvent {
            upstream: "ollama".into(),
            sha: Oid::ZERO,
            knob: knob.into(),
            scope: scope.into(),
            old: Some(old.into()),
            new: Some(new.into()),
            path: "a.go".into(),
            line: 1,
            restore: ways
                .map(|way| RestoreWay {
                    consumer: "ollama".into(),
                    text: way.into(),
                    through: None,
                })
                .collect(),
            on_device: None,
            not_met: None,
            back_by: None,
            grade: Grade::Rule,
        }
    }
}
