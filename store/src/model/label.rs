//! What rules say of a commit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Side;

/// A line that a rule fired on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct LineRef {
    /// The file.
    pub path: String,
    /// Which side of the change.
    pub side: Side,
    /// Its number on that side; 0 where the file as a whole is meant (moved, binary).
    pub line: u32,
    /// Its text, cut after 200 characters.
    pub text: String,
}

/// A class given to a commit by one rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Label {
    /// The class.
    pub class: String,
    /// The rule that gives it.
    pub rule: String,
    /// Lines that fired it, at most [`Label::MOST_LINES`].
    pub evidence: Vec<LineRef>,
}

impl Label {
    /// How many lines of evidence a label keeps.
    pub const MOST_LINES: usize = 6;
}
