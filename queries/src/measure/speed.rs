//! The arithmetic of a toggle, in milliseconds a token. Rates do not add up, so a ratio of
//! rates is never a share of anything.

use std::borrow::Cow;
use std::str::FromStr;

use headwater_store::{Measured, Observation};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use super::interval::mean;
use super::{Conventions, Interval, MeasureError, welch};

/// A unit of speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Tokens a second.
    TokensPerSecond,
    /// Milliseconds a token.
    MsPerToken,
}

impl Unit {
    /// As written and stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Unit::TokensPerSecond => "tok/s",
            Unit::MsPerToken => "ms/token",
        }
    }

    /// A value of this unit in milliseconds a token.
    pub fn ms(self, value: f64) -> f64 {
        match self {
            Unit::TokensPerSecond => 1000.0 / value,
            Unit::MsPerToken => value,
        }
    }

    /// Milliseconds a token in this unit.
    pub fn of_ms(self, ms: f64) -> f64 {
        // The way there is the way back.
        self.ms(ms)
    }

    /// Whether a value is a speed at all.
    ///
    /// # Errors
    /// [`MeasureError::NotASpeed`] where it is not a finite number above 0.
    pub fn check(self, value: f64) -> Result<f64, MeasureError> {
        let sound = value.is_finite() && value > 0.0 && self.ms(value).is_finite();
        if sound { Ok(value) } else { Err(MeasureError::NotASpeed(value.to_string())) }
    }
}

impl FromStr for Unit {
    type Err = MeasureError;

    fn from_str(text: &str) -> Result<Self, MeasureError> {
        match text {
            "tok/s" | "t/s" | "tokens/s" => Ok(Unit::TokensPerSecond),
            "ms/token" | "ms/tok" => Ok(Unit::MsPerToken),
            other => Err(MeasureError::Unit(other.to_owned())),
        }
    }
}

impl Serialize for Unit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl JsonSchema for Unit {
    fn schema_name() -> Cow<'static, str> {
        "Unit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let all = [Unit::TokensPerSecond, Unit::MsPerToken].map(Unit::as_str);
        json_schema!({ "enum": all, "description": "A unit of speed." })
    }
}

/// The speed of several runs: that of their mean time a token, since times add up.
pub fn mean_speed(unit: Unit, runs: &[f64]) -> f64 {
    let ms: Vec<f64> = runs.iter().map(|run| unit.ms(*run)).collect();
    unit.of_ms(mean(&ms))
}

/// One of the three speeds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Arm {
    /// In tokens a second.
    pub rate: f64,
    /// In milliseconds a token.
    pub ms: f64,
    /// How many runs stand behind it.
    pub runs: usize,
}

/// What a toggle was found to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// It moves the speed as the window did.
    Explains,
    /// It moves nothing that can be told from noise, or hardly anything.
    Nothing,
    /// It moves the speed, and the window as a whole made no jump that is more than noise.
    NoJump,
    /// It moves the speed the other way.
    Opposes,
}

/// A measured toggle, worked out.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Speed {
    /// The unit it was given in.
    pub unit: Unit,
    /// At BASE.
    pub old: Arm,
    /// At HEAD, with the toggle.
    pub with: Arm,
    /// At HEAD, as it comes.
    pub without: Arm,
    /// What the window took off a token's time: old − without.
    pub jump_ms: f64,
    /// What the toggle takes off it: with − without.
    pub toggle_ms: f64,
    /// `toggle_ms` in percent of `jump_ms`; none where there is no jump.
    pub toggle_percent_of_jump: Option<f64>,
    /// jump − toggle: all other changes together, net of opposite effects.
    pub residue_ms: f64,
    /// `toggle_ms` in percent of the time that a token takes without it.
    pub toggle_percent_of_token: f64,
    /// The interval of the jump, from repeated runs of old and without.
    pub jump_interval: Option<Interval>,
    /// The interval of the toggle's part, from repeated runs of with and without.
    pub toggle_interval: Option<Interval>,
    /// The interval of the residue, from repeated runs of old and with.
    pub residue_interval: Option<Interval>,
    /// What the toggle was found to do.
    pub finding: Finding,
    /// The working, a line a step.
    pub arithmetic: Vec<String>,
    /// What is bounded for all other changes, and what is not.
    pub bound: String,
}

impl Speed {
    /// Works a speed observation out; `None` for another kind.
    ///
    /// # Errors
    /// [`MeasureError`] where what is stored is no speed.
    pub fn of(
        observation: &Observation,
        conventions: &Conventions,
    ) -> Result<Option<Self>, MeasureError> {
        let Measured::Speed { unit, old, with, without } = &observation.measured else {
            return Ok(None);
        };
        let unit: Unit = unit.parse()?;
        let ms = |arm: &str| -> Vec<f64> {
            observation.arm(arm).iter().map(|run| unit.ms(*run)).collect()
        };
        let arm = |value: f64, runs: &[f64]| -> Result<Arm, MeasureError> {
            let ms = unit.ms(unit.check(value)?);
            Ok(Arm { rate: Unit::TokensPerSecond.of_ms(ms), ms, runs: runs.len().max(1) })
        };
        let (old_runs, with_runs, without_runs) = (ms("old"), ms("with"), ms("without"));
        let (old, with, without) =
            (arm(*old, &old_runs)?, arm(*with, &with_runs)?, arm(*without, &without_runs)?);
        let (jump_ms, toggle_ms) = (old.ms - without.ms, with.ms - without.ms);
        let residue_ms = jump_ms - toggle_ms;
        let jump_interval = welch(&old_runs, &without_runs);
        let is_jump = match &jump_interval {
            Some(interval) => !interval.contains(0.0),
            None => jump_ms.abs() >= conventions.least_jump * old.ms,
        };
        let toggle_percent_of_jump = is_jump.then(|| 100.0 * toggle_ms / jump_ms);
        let toggle_interval = welch(&with_runs, &without_runs);
        let moves = match &toggle_interval {
            Some(interval) => !interval.contains(0.0),
            None if is_jump => toggle_ms.abs() >= conventions.least_part * jump_ms.abs(),
            None => toggle_ms.abs() >= conventions.least_jump * old.ms,
        };
        let finding = match (moves, is_jump) {
            (false, _) => Finding::Nothing,
            (true, false) => Finding::NoJump,
            (true, true) if (toggle_ms > 0.0) != (jump_ms > 0.0) => Finding::Opposes,
            (true, true) => Finding::Explains,
        };
        let residue_interval = welch(&old_runs, &with_runs);
        let bound = match &residue_interval {
            Some(interval) => format!(
                "all other changes together come to {} to {} ms/token ({:.0} %, {} on {} and {} runs): that bounds their sum, in which opposite effects can cancel, and no single commit",
                ms3(interval.low),
                ms3(interval.high),
                interval.level * 100.0,
                interval.method,
                interval.runs[0],
                interval.runs[1]
            ),
            None => "nothing is bounded: a bound on the sum of all other changes needs an interval, from repeated runs of old and with (--samples FILE); none bounds a single commit".to_owned(),
        };
        let mut speed = Speed {
            unit,
            old,
            with,
            without,
            jump_ms,
            toggle_ms,
            toggle_percent_of_jump,
            residue_ms,
            toggle_percent_of_token: 0.0,
            jump_interval,
            toggle_interval,
            residue_interval,
            finding,
            arithmetic: Vec::new(),
            bound,
        };
        speed.toggle_percent_of_token = 100.0 * speed.toggle_ms / speed.without.ms;
        speed.arithmetic = speed.lines();
        Ok(Some(speed))
    }

    fn lines(&self) -> Vec<String> {
        let arm = |name: &str, arm: &Arm| {
            let runs = if arm.runs > 1 { format!(" ({} runs)", arm.runs) } else { String::new() };
            format!("{name} {:.2} tok/s = {:.3} ms/token{runs}", arm.rate, arm.ms)
        };
        let within = |interval: &Option<Interval>| match interval {
            Some(i) => format!(
                " ({} to {}, {:.0} %, {})",
                ms3(i.low),
                ms3(i.high),
                i.level * 100.0,
                i.method
            ),
            None => String::new(),
        };
        let way = if self.jump_ms < 0.0 { "slower" } else { "faster" };
        let part = match self.toggle_percent_of_jump {
            Some(percent) => format!(" = {percent:.1} % of the jump"),
            None => "; the window as a whole made no jump".to_owned(),
        };
        vec![
            arm("old", &self.old),
            arm("with", &self.with),
            arm("without", &self.without),
            format!(
                "jump {:.3} - {:.3} = {} ms/token, {way}{}",
                self.old.ms,
                self.without.ms,
                ms3(self.jump_ms),
                within(&self.jump_interval)
            ),
            format!(
                "toggle {:.3} - {:.3} = {} ms/token{part}{}",
                self.with.ms,
                self.without.ms,
                ms3(self.toggle_ms),
                within(&self.toggle_interval)
            ),
            format!(
                "residue {} - {} = {} ms/token: all other changes together, net of opposite effects",
                ms3(self.jump_ms),
                ms3(self.toggle_ms),
                ms3(self.residue_ms)
            ),
            format!(
                "budget {} ms of the {:.3} ms that a token takes without it, {:.1} %: a fixed cost weighs more where a token is cheap, as on a sparse model",
                ms3(self.toggle_ms),
                self.without.ms,
                self.toggle_percent_of_token
            ),
        ]
    }
}

/// Milliseconds with three digits, and no `-0.000`.
pub(super) fn ms3(ms: f64) -> String {
    let text = format!("{ms:.3}");
    if text == "-0.000" { "0.000".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::shown::testing::speed_observation;

    fn speed(unit: &str, values: [f64; 3], runs: &[(&str, f64)]) -> Speed {
        let observation = speed_observation(unit, values, &[], runs);
        Speed::of(&observation, &Conventions::shipped().unwrap()).unwrap().unwrap()
    }

    #[test]
    fn the_published_measurement_comes_out_as_published() {
        let speed = speed("tok/s", [139.55, 136.13, 209.37], &[]);
        assert_eq!(ms3(speed.jump_ms), "2.390");
        assert_eq!(ms3(speed.toggle_ms), "2.570");
        assert_eq!(format!("{:.1}", speed.toggle_percent_of_jump.unwrap()), "107.5");
        assert_eq!(ms3(speed.residue_ms), "-0.180");
        assert_eq!(format!("{:.1}", speed.toggle_percent_of_token), "53.8");
        assert_eq!(speed.finding, Finding::Explains);
        assert_eq!(speed.residue_interval, None);
        assert!(speed.bound.contains("needs an interval"));
        let told = speed.arithmetic.join("\n");
        assert!(told.contains("net of opposite effects") && !told.contains("recovered"), "{told}");
        // 97.5 % would be the ratio of the rates 136.13 and 139.55.
        assert!(!told.contains("97.5") && !speed.bound.contains("97.5"), "{told}");
    }

    #[test]
    fn a_fixed_cost_weighs_more_on_a_sparse_model() {
        let sparse = speed("ms/token", [7.17, 7.35, 4.78], &[]);
        let dense = speed("ms/token", [15.25, 15.25, 12.84], &[]);
        assert_eq!(format!("{:.2} of {:.2}", sparse.toggle_ms, sparse.without.ms), "2.57 of 4.78");
        assert_eq!(format!("{:.2} of {:.2}", dense.toggle_ms, dense.without.ms), "2.41 of 12.84");
        assert!(sparse.toggle_percent_of_token > 2.5 * dense.toggle_percent_of_token);
    }

    #[test]
    fn repeated_runs_bound_the_sum_of_the_rest() {
        let runs: Vec<(&str, f64)> = [
            ("old", [7.15, 7.17, 7.18]),
            ("with", [7.33, 7.35, 7.36]),
            ("without", [4.77, 4.78, 4.78]),
        ]
        .into_iter()
        .flat_map(|(arm, values)| values.into_iter().map(move |value| (arm, value)))
        .collect();
        let speed = speed("ms/token", [7.167, 7.347, 4.777], &runs);
        let rest = speed.residue_interval.clone().unwrap();
        assert!(rest.high < 0.0 && rest.contains(speed.residue_ms), "{rest:?}");
        assert!(speed.bound.contains("no single commit"), "{}", speed.bound);
        assert_eq!(speed.old.runs, 3);
    }

    #[test]
    fn a_toggle_that_moves_nothing_or_the_other_way_explains_nothing() {
        assert_eq!(speed("tok/s", [100.0, 149.0, 150.0], &[]).finding, Finding::Nothing);
        assert_eq!(speed("tok/s", [100.0, 180.0, 150.0], &[]).finding, Finding::Opposes);
        // Opposite effects: the toggle moves the speed, and there is no jump to explain.
        for without in [100.0, 100.1] {
            let hidden = speed("tok/s", [100.0, 80.0, without], &[]);
            assert_eq!((hidden.finding, hidden.toggle_percent_of_jump), (Finding::NoJump, None));
        }
        // A jump within the noise of the runs is none either.
        let jump = [("old", 5.0), ("old", 7.0), ("without", 5.1), ("without", 7.3)];
        assert_eq!(speed("ms/token", [6.0, 9.0, 6.2], &jump).finding, Finding::NoJump);
        // A difference within the noise of the runs is none.
        let noisy = [("with", 5.0), ("with", 9.0), ("without", 4.0), ("without", 7.0)];
        assert_eq!(speed("ms/token", [8.0, 7.0, 5.5], &noisy).finding, Finding::Nothing);
    }

    #[test]
    fn what_is_no_speed_is_refused() {
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-320] {
            assert!(Unit::TokensPerSecond.check(value).is_err(), "{value}");
        }
        assert!("furlongs".parse::<Unit>().is_err());
        assert_eq!(mean_speed(Unit::TokensPerSecond, &[100.0, 50.0]).round(), 67.0);
    }
}
