//! What rules say of a commit, and the facts they may ask for.

use headwater_store::model::Side;
use serde::Serialize;

/// A line that a rule fired on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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

/// Something that was found out about a commit from parsed code rather than from its
/// lines one by one: a default event of the ledger, or a finding of [`super::facts`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// What kind of fact: `default-event`, …
    pub name: String,
    /// What a rule may ask of it: for a default event, `scope knob: old -> new`.
    pub detail: String,
    /// Where it stands.
    pub at: LineRef,
}
