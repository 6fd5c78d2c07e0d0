//! What measurements are judged by: `rules/measure.toml`.

use serde::Deserialize;

use super::MeasureError;
use super::asked::SymptomRule;

/// The conventions.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conventions {
    /// The least part of a jump that a toggle measured once explains.
    pub least_part: f64,
    /// The least part of the old time that is a jump.
    pub least_jump: f64,
    /// By how much observations without intervals disagree.
    pub disagree: f64,
    /// The least part that is a step.
    pub least_step: f64,
    /// How often chance alone may make a step that is told.
    pub chance: f64,
    /// Points of reasons.
    pub points: Points,
    /// Conditions, cheapest to repeat a run under first.
    #[serde(rename = "condition")]
    pub conditions: Vec<Condition>,
    /// What symptoms ask about.
    #[serde(rename = "symptom")]
    pub symptoms: Vec<SymptomRule>,
}

/// Points of reasons.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Points {
    /// The toggle moved what was seen.
    pub explains: f64,
    /// It moved nothing, or the other way.
    pub nothing: f64,
}

/// A condition in which observations can differ.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// Its name.
    pub name: String,
    /// How a run is repeated under it.
    pub run: String,
}

impl Conventions {
    /// The file that they are read from.
    pub(crate) const FILE: &str = include_str!("../../rules/measure.toml");

    /// The built-in ones.
    ///
    /// # Errors
    /// Never with the file as it is shipped.
    pub fn shipped() -> Result<Self, MeasureError> {
        Ok(toml::from_str(Self::FILE)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_file_is_read_and_sensible() {
        let all = Conventions::shipped().unwrap();
        assert!(all.points.explains > 0.0 && all.points.nothing < 0.0);
        assert!(
            [all.least_part, all.least_jump, all.disagree, all.least_step, all.chance]
                .iter()
                .all(|part| (0.0..1.0).contains(part))
        );
        assert_eq!(all.conditions.first().unwrap().name, "load");
    }
}
