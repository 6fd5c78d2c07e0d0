//! What speaks for a commit whatever the symptom: moved defaults that reach the model,
//! and work on the backend or kind of model in question. Data: `rules/rank/prior.toml`.

use serde::Deserialize;

use super::report::{DefaultEvent, Verdict};
use super::score::Part;
use crate::QueryError;
use crate::rank::ReasonKind;

pub(super) const FILE: &str = include_str!("../../rules/rank/prior.toml");

/// Points for what is known of a commit.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Prior {
    /// Where no symptom was given: what is known decides alone.
    alone: Points,
    /// Where words of a symptom were ranked already: what is known breaks ties.
    with_symptom: Points,
    /// For a pin that moved to what is not in the store: anything may be in it.
    unread_pin: f64,
    /// For each word of the symptom that stands in a pull request's text alone.
    pull_word: f64,
    /// The most for these.
    pull_words_most: f64,
    /// Points for verdicts, which count in both cases.
    verdict: VerdictPoints,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Points {
    /// For a moved default, by scope; `other` for scopes that are not named.
    default_event: std::collections::BTreeMap<String, f64>,
    /// For a moved default that comes to the same on the device in question.
    default_event_unchanged: f64,
    /// For a class, whatever the question.
    class: std::collections::BTreeMap<String, f64>,
    /// For a class that the named backend or model makes likely.
    class_asked: f64,
    /// For a message that names the model's family.
    family_named: f64,
}

/// Points for verdicts.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct VerdictPoints {
    /// Wrong model, phase or scope, or already shipped.
    excluded: f64,
    /// Not on the engine or backend in question.
    off_path: f64,
    /// Inert.
    inert: f64,
}

/// What is known decides as far as words do not.
struct Mixed<'a> {
    alone: &'a Points,
    with: &'a Points,
    met: Option<f64>,
}

impl Mixed<'_> {
    fn of(&self, points: impl Fn(&Points) -> f64) -> f64 {
        let met = self.met.unwrap_or(0.0);
        points(self.alone) * (1.0 - met) + points(self.with) * met
    }
}

impl Prior {
    pub(super) fn built_in() -> Result<Self, QueryError> {
        Self::parse(FILE)
    }

    /// The text of the points that ship with the binary.
    pub(super) fn built_in_text() -> &'static str {
        FILE
    }

    /// Points from the text of a data file.
    pub(super) fn parse(text: &str) -> Result<Self, QueryError> {
        toml::from_str(text).map_err(|error| QueryError::Rules {
            file: "rank/prior.toml".to_owned(),
            why: error.to_string(),
        })
    }

    /// For a verdict.
    pub(super) fn verdict(&self, verdict: Verdict) -> f64 {
        match verdict {
            Verdict::Inert => self.verdict.inert,
            Verdict::OffPath => self.verdict.off_path,
            Verdict::Excluded => self.verdict.excluded,
            Verdict::Candidate | Verdict::ConfirmedByToggle => 0.0,
        }
    }

    /// For a pin that moved to what is not in the store.
    pub(super) fn unread_pin(&self) -> f64 {
        self.unread_pin
    }

    /// For so many words of the symptom that stand in a pull request's text alone.
    pub(super) fn pull_words(&self, count: usize) -> f64 {
        (self.pull_word * count as f64).min(self.pull_words_most)
    }

    /// For a commit whose message names the model's family.
    pub(super) fn family_named(&self, met: Option<f64>) -> f64 {
        Mixed { alone: &self.alone, with: &self.with_symptom, met }.of(|p| p.family_named)
    }

    /// The parts for a commit: its largest default event, and its classes. `met` tells
    /// how well the window's best meets a symptom's words, where one was given.
    pub(super) fn parts(
        &self,
        met: Option<f64>,
        events: &[DefaultEvent],
        classes: &[(String, String)],
        asked: &[&str],
    ) -> Vec<Part> {
        let points = Mixed { alone: &self.alone, with: &self.with_symptom, met };
        let mut parts = Vec::new();
        let moves = events.iter().filter(|e| e.counts());
        let largest = moves
            .map(|event| {
                let (old, new) = (
                    event.old.as_deref().unwrap_or_default(),
                    event.new.as_deref().unwrap_or_default(),
                );
                match &event.on_device {
                    Some(device) if device.unchanged => Part {
                        kind: ReasonKind::Default,
                        points: points.of(|p| p.default_event_unchanged),
                        words: format!(
                            "moves the default of {} {old} → {new}, which on {} comes to {} as before: {}",
                            event.knob, device.device, device.becomes, device.why
                        ),
                    },
                    _ => Part {
                        kind: ReasonKind::Default,
                        points: points.of(|p| {
                            let named = p.default_event.get(&event.scope);
                            named.or(p.default_event.get("other")).copied().unwrap_or(0.0)
                        }),
                        words: format!("moves the default of {} {old} → {new}", event.knob),
                    },
                }
            })
            .max_by(|a, b| a.points.total_cmp(&b.points));
        parts.extend(largest);
        for (class, rule) in classes {
            let is_asked = asked.contains(&class.as_str());
            let sum = points.of(|p| {
                let known = p.class.get(class).copied().unwrap_or(0.0);
                known + if is_asked { p.class_asked } else { 0.0 }
            });
            let words = format!("is {class} work (rule {rule})");
            parts.push(Part { kind: ReasonKind::Class, points: sum, words });
        }
        parts.retain(|part| part.points != 0.0);
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_valid_and_a_request_option_weighs_most() {
        let prior = Prior::built_in().unwrap();
        let scopes = &prior.alone.default_event;
        assert!(scopes["request-option"] >= scopes["context"]);
        assert!(scopes["docs"] < scopes["context"]);
        assert!(prior.alone.default_event_unchanged < scopes["context"]);
    }
}
