//! What the question `defaults` answers.

use headwater_store::Oid;
use headwater_store::evidence::{Coverage, Grade};
use schemars::JsonSchema;
use serde::Serialize;

use super::Drift;
use crate::ledger::{How, RestoreWay};

/// Default events and values, and what they were looked for in.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DefaultsAnswer {
    /// The name and version of this shape.
    pub schema: &'static str,
    /// The upstream.
    pub upstream: String,
    /// The events, oldest first.
    pub events: Vec<EventRow>,
    /// The value of every knob at the version that was asked for; none for a window.
    pub values: Vec<ValueRow>,
    /// Where documentation and code say different things at that version.
    pub drift: Vec<Drift>,
    /// What the events were looked for in.
    pub coverage: Coverage,
    /// What extractors read: a default that lives elsewhere is not known.
    pub covers: Vec<Covers>,
    /// For the scope `build` of a window: what else those must know who build it themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packagers: Option<super::Packagers>,
}

/// One default event.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EventRow {
    /// The upstream.
    pub upstream: String,
    /// The commit's row.
    #[serde(skip)]
    pub commit: headwater_store::CommitId,
    /// The commit.
    pub sha: Oid,
    /// When it was committed.
    pub date: chrono::DateTime<chrono::Utc>,
    /// Its subject: a stranger's text.
    pub subject: String,
    /// The knob.
    pub knob: String,
    /// Its scope.
    pub scope: String,
    /// The value before; null where the knob was not there.
    pub old: Option<String>,
    /// The value after; null where it has gone.
    pub new: Option<String>,
    /// How the value comes about.
    pub how: Option<How>,
    /// The path.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The first tag that contains the commit, by ancestry.
    pub first_tag: Option<String>,
    /// The earliest tag that contains it or a twin.
    pub first_shipped: Option<String>,
    /// The earliest final release that contains it or a twin.
    pub first_final_shipped: Option<String>,
    /// The value was gone again before a final release had it.
    pub never_shipped: bool,
    /// The commit that had left this value, where it comes back to one.
    pub flips_back: Option<Oid>,
    /// How a user gets the old value back, for each consumer; none where none is known.
    pub restore: Vec<RestoreWay>,
    /// What the new value is decided by at run time: ids of decisions that are known.
    pub resolves: Vec<String>,
    /// Other spellings of the knob.
    pub names: Vec<String>,
    /// The extractor.
    pub extractor: String,
    /// How well it is supported.
    pub grade: Grade,
}

/// One knob's value.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ValueRow {
    /// The knob.
    pub knob: String,
    /// Its scope.
    pub scope: String,
    /// The value.
    pub value: String,
    /// How it comes about.
    pub how: How,
    /// The path.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The commit that set it, where an event shows it.
    pub since: Option<Oid>,
    /// The earliest tag that had it.
    pub since_shipped: Option<String>,
    /// What it was before.
    pub before: Option<String>,
    /// Other spellings of the knob.
    pub names: Vec<String>,
}

/// What one extractor reads.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Covers {
    /// Its id.
    pub extractor: String,
    /// The scope of its knobs.
    pub scope: &'static str,
    /// The paths.
    pub paths: Vec<String>,
}
