//! The digest, in the shape that leaves the process: `headwater/digest/1`.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use headwater_store::Oid;
use headwater_store::evidence::{Absence, Coverage, Grade};
use schemars::JsonSchema;
use serde::Serialize;

use super::Period;
use crate::ledger::RestoreWay;
use crate::models::Moved;
use crate::said::{AdvisorySaid, ReleaseSaid};
use crate::shipping::LagRow;

/// What moved upstream in a stretch of time.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Digest {
    /// `headwater/digest/1`
    pub schema: &'static str,
    /// The time.
    pub period: Period,
    /// The answer in a line.
    pub headline: String,
    /// Whose commits were looked at, and what of them is stored.
    pub coverage: Vec<Coverage>,
    /// The newest stored commit of each upstream of which none is from the end of the time
    /// or after it: what came between is not known.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub newest: BTreeMap<String, DateTime<Utc>>,
    /// Defaults that moved.
    pub defaults: Vec<DefaultMoved>,
    /// Sampler, CUDA and MoE work.
    pub work: Vec<Work>,
    /// Toolchains, architectures, and what self-builders meet.
    pub toolchain: Vec<Work>,
    /// Pins that moved, and what they bring.
    pub pins: Vec<PinMoved>,
    /// Releases.
    pub releases: Vec<ReleaseSaid>,
    /// Tags of the time whose releases have no notes that people write, or none stored.
    pub tags: BTreeMap<String, usize>,
    /// Published parameters of models that changed.
    pub models: Vec<ModelChanged>,
    /// Security advisories that were published.
    pub advisories: Vec<AdvisorySaid>,
    /// The newest release of the time and how far behind what it pins it was.
    pub lag: Vec<Lagging>,
    /// What was looked for and not found.
    pub absences: Vec<Absence>,
    /// What became known of these entries after the time.
    pub corrections: Vec<Correction>,
    /// What came before, for plots.
    pub plots: Plots,
    /// The command that asks it again.
    pub question: String,
}

/// A default that moved.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DefaultMoved {
    /// Its stable id.
    pub id: String,
    /// The upstream.
    pub upstream: String,
    /// The commit.
    pub sha: Oid,
    /// Its subject: a stranger's text.
    pub subject: String,
    /// When it was committed.
    pub date: DateTime<Utc>,
    /// The knob.
    pub knob: String,
    /// Where the default is decided.
    pub scope: String,
    /// The value before.
    pub old: String,
    /// The value after.
    pub new: String,
    /// The file.
    pub path: String,
    /// The line of the new value.
    pub line: u32,
    /// Other places of the commit where the same default stands.
    pub also: Vec<String>,
    /// The release that shipped it first, if one had by the end of the time.
    pub first_shipped: Option<String>,
    /// The commit of the same time that moved it on.
    pub moved_on: Option<Oid>,
    /// Whether the time ended with the value that it began with: this move and one after
    /// it come to nothing.
    pub undone: bool,
    /// How a user gets the old value back.
    pub restore: Vec<RestoreWay>,
    /// The stored models that run with it.
    pub reaches: Vec<String>,
    /// Under which condition they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unless: Option<String>,
    /// How many stored models were asked.
    pub models: usize,
    /// How well it is supported.
    pub grade: Grade,
}

/// A commit of a class.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Work {
    /// Its stable id.
    pub id: String,
    /// The upstream.
    pub upstream: String,
    /// The commit.
    pub sha: Oid,
    /// Its subject: a stranger's text.
    pub subject: String,
    /// When it was committed.
    pub date: DateTime<Utc>,
    /// Its classes.
    pub classes: Vec<String>,
    /// The rules that gave them.
    pub rules: Vec<String>,
    /// The pull request that the subject names.
    pub pr: Option<u32>,
    /// How well it is supported.
    pub grade: Grade,
}

/// A pin that moved.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PinMoved {
    /// Its stable id.
    pub id: String,
    /// The upstream.
    pub upstream: String,
    /// The commit.
    pub sha: Oid,
    /// When it was committed.
    pub date: DateTime<Utc>,
    /// The pin.
    pub pin: String,
    /// The value before.
    pub old: Option<String>,
    /// The value after.
    pub new: Option<String>,
    /// How many commits that brings, where it is stored.
    pub commits: Option<usize>,
    /// How many of these have each class.
    pub classes: BTreeMap<String, usize>,
    /// Why it is not known what it brings, where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<String>,
    /// How well it is supported.
    pub grade: Grade,
}

/// A model whose published parameters changed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ModelChanged {
    /// Its stable id.
    pub id: String,
    /// The model.
    pub model: String,
    /// When that was first seen.
    pub seen: DateTime<Utc>,
    /// What changed.
    pub changes: Vec<Moved>,
    /// How well it is supported.
    pub grade: Grade,
}

/// How far behind a release was.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Lagging {
    /// The upstream of the release.
    pub upstream: String,
    /// The release and its pin.
    #[serde(flatten)]
    pub row: LagRow,
}

/// A later fact about an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Correction {
    /// The entry's id.
    pub of: String,
    /// What became known.
    pub what: String,
    /// The commit that shows it.
    pub sha: Option<Oid>,
    /// When.
    pub date: DateTime<Utc>,
}

/// Series over the time before.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Plots {
    /// Moved defaults a week, oldest first, the time's own week last.
    pub defaults: Vec<(String, usize)>,
    /// The lag of releases, oldest first.
    pub lag: Vec<Lagging>,
}

impl Digest {
    /// The moves that did not come to nothing.
    pub fn moved(&self) -> impl Iterator<Item = &DefaultMoved> {
        self.defaults.iter().filter(|one| !one.undone)
    }

    /// Whether nothing of it needs a reader.
    pub fn is_quiet(&self) -> bool {
        self.defaults.is_empty()
            && self.work.is_empty()
            && self.toolchain.is_empty()
            && self.pins.is_empty()
            && self.models.is_empty()
            && self.advisories.is_empty()
    }
}
