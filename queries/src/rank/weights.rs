//! The points of each kind of evidence, from the data file.

use serde::Deserialize;

use super::RulesError;
use super::features::Field;

const WEIGHTS: &str = include_str!("../../rules/rank/weights.toml");

/// All weights.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// Words.
    pub text: TextWeights,
    /// Concepts.
    pub concept: FieldWeights,
    /// What the files are.
    pub structure: StructureWeights,
    /// What later commits say.
    pub hindsight: HindsightWeights,
}

/// How words count.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextWeights {
    /// Points of the best commit of the window; the others' are in proportion.
    pub points: f64,
    /// The match at which the best gets all its points: a weaker one gets its part, so
    /// that the best of nothing is not promoted.
    pub floor: f64,
    /// Weight of the subject.
    pub subject: f64,
    /// Weight of the rest of the message.
    pub body: f64,
    /// Weight of paths.
    pub path: f64,
    /// Weight of changed lines.
    pub lines: f64,
    /// Weight of changed functions.
    pub functions: f64,
    /// Weight of messages in the code.
    pub literals: f64,
    /// BM25's saturation.
    pub k1: f64,
    /// BM25's length normalization for subjects.
    pub subject_b: f64,
    /// BM25's length normalization for the other fields.
    pub b: f64,
    /// Weight of words in a clause that says what is fine.
    pub spared: f64,
    /// Weight of words in a clause that says what helps.
    pub remedy: f64,
    /// Part of such a word's weight where the subject says that there is less of it.
    pub opposed: f64,
}

/// Points, and their parts by field.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldWeights {
    /// Points of the best commit of the window; the others' are in proportion.
    pub points: f64,
    /// The match at which the best gets all its points.
    pub floor: f64,
    /// Weight of the subject.
    pub subject: f64,
    /// Weight of the rest of the message.
    pub body: f64,
    /// Weight of paths.
    pub path: f64,
    /// Weight of changed lines.
    pub lines: f64,
    /// Weight of changed functions.
    pub functions: f64,
    /// Weight of messages in the code.
    pub literals: f64,
}

/// Points for what a commit's files are.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StructureWeights {
    /// The backend in question is touched or named.
    pub backend: f64,
    /// Another backend, and it alone.
    pub contradiction: f64,
    /// The area in question is touched.
    pub area: f64,
    /// Nothing in it can have an effect.
    pub inert: f64,
    /// Reverted within the window, or the revert itself.
    pub reverted: f64,
    /// Shared core files.
    pub core: f64,
    /// Size of the change.
    pub size: f64,
    /// Nothing but lines that were not there before.
    pub adds_only: f64,
    /// A default is moved, and the symptom speaks of defaults.
    pub defaults: f64,
    /// How far a merge goes to the score of the best that it merges.
    pub merge: f64,
    /// The commit came through a pin, with many others of another upstream.
    pub nested: f64,
}

/// Points for what later commits say.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HindsightWeights {
    /// It was reverted.
    pub revert: f64,
    /// It is named as the cause of what is mended.
    pub cause: f64,
    /// It is named.
    pub named: f64,
}

impl TextWeights {
    /// The weight of one field.
    pub fn field(&self, field: Field) -> f64 {
        [self.subject, self.body, self.path, self.lines, self.functions, self.literals]
            .get(field as usize)
            .copied()
            .unwrap_or(0.0)
    }

    /// BM25's length normalization of one field.
    pub fn b(&self, field: Field) -> f64 {
        if field == Field::Subject { self.subject_b } else { self.b }
    }
}

impl FieldWeights {
    /// The weight of one field.
    pub fn field(&self, field: Field) -> f64 {
        [self.subject, self.body, self.path, self.lines, self.functions, self.literals]
            .get(field as usize)
            .copied()
            .unwrap_or(0.0)
    }
}

impl Weights {
    /// The weights that ship with the binary.
    ///
    /// # Errors
    /// Where the file is no valid TOML.
    pub fn shipped() -> Result<Self, RulesError> {
        Self::parse(WEIGHTS)
    }

    /// The text of the weights that ship with the binary.
    pub fn shipped_text() -> &'static str {
        WEIGHTS
    }

    /// These, with words of every clause counted.
    pub(crate) fn every_word(mut self) -> Self {
        (self.text.spared, self.text.remedy, self.text.opposed) = (1.0, 1.0, 1.0);
        self
    }

    /// Weights from the text of a data file.
    ///
    /// # Errors
    /// Where the text is no valid TOML or lacks a weight.
    pub fn parse(text: &str) -> Result<Self, RulesError> {
        Ok(toml::from_str(text)?)
    }
}
