//! What a question asks of a measurement: which kind of change, in which phase, and which
//! way. One of something else decides nothing there.

use regex::Regex;
use serde::Deserialize;

use super::{Conventions, MeasureError, ObservationShown, Speed};
use crate::why::WhyQuestion;

/// The phase of a speed of which nothing else was said.
const USUAL: &str = "decode";

/// Words of a symptom, and what they say of the change.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SymptomRule {
    /// The kind of change.
    #[serde(default)]
    kind: Option<String>,
    /// The phase that is changed.
    #[serde(default)]
    phase: Option<String>,
    /// `slower`, `faster`.
    #[serde(default)]
    way: Option<String>,
    /// A regular expression, upper and lower case alike.
    words: String,
    /// Symptoms that it must match.
    pub matches: Vec<String>,
    /// Symptoms that it must not.
    pub not: Vec<String>,
}

impl SymptomRule {
    fn is_in(&self, symptom: &str) -> Result<bool, MeasureError> {
        Ok(Regex::new(&format!("(?i){}", self.words))?.is_match(symptom))
    }
}

/// What is asked about; nothing where all of it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AskedChange {
    kinds: Vec<String>,
    phases: Vec<String>,
    ways: Vec<String>,
    /// A symptom was told, and its words say none of these.
    unread: bool,
}

impl AskedChange {
    /// As the question's own fields say, and where they say nothing, its symptom.
    pub(crate) fn of(
        question: &WhyQuestion,
        conventions: &Conventions,
    ) -> Result<Self, MeasureError> {
        let mut out = AskedChange::default();
        let symptom = question.symptom.as_deref().unwrap_or_default();
        for rule in conventions.symptoms.iter().filter(|_| !symptom.is_empty()) {
            if rule.is_in(symptom)? {
                out.kinds.extend(rule.kind.clone());
                out.phases.extend(rule.phase.clone());
                out.ways.extend(rule.way.clone());
            }
        }
        if let Some(kind) = &question.kind {
            out.kinds = vec![kind.clone()];
        }
        if let Some(phase) = &question.phase {
            out.phases = vec![phase.clone()];
        }
        let told = [&out.kinds, &out.phases, &out.ways].iter().any(|all| !all.is_empty());
        out.unread = !symptom.trim().is_empty() && !told;
        Ok(out)
    }

    /// Why a measurement is of something else, where it is.
    pub(crate) fn misses(&self, shown: &ObservationShown) -> Option<String> {
        if self.unread {
            return Some(format!(
                "it is about {}, and the symptom's words do not tell whether that was asked about (--kind {} does)",
                shown.kind, shown.kind
            ));
        }
        let asked = |all: &[String]| all.join(" and ");
        let lacks = |all: &[String], one: &str| !all.is_empty() && !all.iter().any(|a| a == one);
        if lacks(&self.kinds, shown.kind) {
            let kinds = asked(&self.kinds);
            return Some(format!("it is about {}, and {kinds} was asked about", shown.kind));
        }
        let speed = shown.speed.as_ref()?;
        let phase = shown.conditions.get("phase").map_or(USUAL, String::as_str);
        if lacks(&self.phases, phase) {
            let phases = asked(&self.phases);
            return Some(format!("it is the speed of {phase}, and {phases} was asked about"));
        }
        let way = way(speed);
        lacks(&self.ways, way).then(|| {
            let ways = asked(&self.ways);
            format!("it measured that the window is {way}, and {ways} was asked about")
        })
    }
}

/// Which way a window's speed went.
fn way(speed: &Speed) -> &'static str {
    if speed.jump_ms < 0.0 { "slower" } else { "faster" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::why::AsOf;
    use crate::window::WindowSpec;

    #[test]
    fn a_symptom_that_says_nothing_of_a_kind_is_about_none() {
        let conventions = Conventions::shipped().unwrap();
        let unread = |symptom: &str, kind: Option<&str>| {
            let question = WhyQuestion {
                upstream: "ollama".to_owned(),
                window: WindowSpec::parse("v1..v2").unwrap(),
                symptom: Some(symptom.to_owned()),
                backend: None,
                model: None,
                phase: None,
                kind: kind.map(str::to_owned),
                installed: None,
                as_of: AsOf::Now,
                jobs: 1,
            };
            AskedChange::of(&question, &conventions).unwrap().unread
        };
        for symptom in ["GPU not detected", "pull fails", "Langsamer beim Laden"] {
            assert!(unread(symptom, None) && !unread(symptom, Some("speed")), "{symptom}");
        }
        for symptom in ["", " ", "half the tok/s", "ttft regressed", "it crashes"] {
            assert!(!unread(symptom, None), "{symptom}");
        }
    }

    #[test]
    fn each_rule_matches_its_examples_and_nothing_else() {
        for rule in &Conventions::shipped().unwrap().symptoms {
            assert!(!rule.matches.is_empty() && !rule.not.is_empty(), "{rule:?}");
            for (symptoms, expected) in [(&rule.matches, true), (&rule.not, false)] {
                for symptom in symptoms {
                    assert_eq!(rule.is_in(symptom).unwrap(), expected, "{symptom}: {rule:?}");
                }
            }
        }
    }
}
