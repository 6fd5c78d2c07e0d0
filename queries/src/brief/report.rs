//! The brief, in the shape that leaves the process: `headwater/brief/1`.

use chrono::{DateTime, Utc};
use headwater_store::Oid;
use headwater_store::evidence::{Coverage, Grade};
use schemars::JsonSchema;
use serde::Serialize;

use crate::abi::AbiCommit;
use crate::defaults::EventRow;
use crate::digest::Digest;
use crate::rig::RigReport;
use crate::said::AdvisorySaid;
use crate::why::OpenQuestion;

/// What a reviewer must know.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Brief {
    /// `headwater/brief/1`
    pub schema: &'static str,
    /// The answer in a line; where something is not as it should be, that.
    pub headline: String,
    /// The command that asks it again.
    pub question: String,
    /// The version that is upgraded to, in thought.
    pub to: Option<String>,
    /// The rig, with its alerts.
    pub rig: RigReport,
    /// Versions that are installed.
    pub versions: Vec<VersionLine>,
    /// Upstream's newest releases, and what each pins.
    pub releases: Vec<NewestRelease>,
    /// The toolkits that upstream builds with.
    pub toolkits: Vec<ToolkitBuilt>,
    /// Build options that moved: of the server since what is installed, of the engine since
    /// the rig's pin.
    pub options: Vec<OptionsMoved>,
    /// Public headers that changed since the rig's pin, and whether to build anew.
    pub abi: AbiWindow,
    /// What a request that sets nothing runs with, where the upgrade changes it.
    pub effective: Vec<EffectiveMove>,
    /// Models of which that could be told.
    pub models: usize,
    /// Advisories about the installed version or the one that is upgraded to.
    pub advisories: Vec<AdvisorySaid>,
    /// How many more are stored, which are about neither.
    pub other_advisories: usize,
    /// What moved upstream since the reading before.
    pub digest: Digest,
    /// What could not be settled.
    pub open: Vec<OpenQuestion>,
}

/// One version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VersionLine {
    /// Of what.
    pub what: String,
    /// The version.
    pub version: String,
    /// Who says so.
    pub by: String,
}

/// An upstream's newest release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NewestRelease {
    /// The upstream.
    pub upstream: String,
    /// Its tag.
    pub tag: String,
    /// Its commit.
    pub sha: Oid,
    /// When that was made.
    pub date: DateTime<Utc>,
    /// Names and values of its pins.
    pub pins: Vec<(String, String)>,
    /// How well it is supported.
    pub grade: Grade,
}

/// A toolkit that upstream builds with, by the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolkitBuilt {
    /// `CUDA`, `ROCm`.
    pub toolkit: String,
    /// The upstream.
    pub upstream: String,
    /// At which version.
    pub at: String,
    /// What names it there.
    pub knob: String,
    /// What it is.
    pub value: String,
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The commit that set it, where an event shows it.
    pub since: Option<Oid>,
    /// What it was before.
    pub before: Option<String>,
    /// Whether the rig's release is among them, without updates, which nobody counts alike;
    /// none where that cannot be told.
    pub has_release: Option<bool>,
    /// How well it is supported.
    pub grade: Grade,
}

/// Build options that moved in a window.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OptionsMoved {
    /// The upstream.
    pub upstream: String,
    /// The excluded end.
    pub base: String,
    /// The included end.
    pub head: String,
    /// The options.
    pub events: Vec<EventRow>,
}

/// Public headers between the rig's pin and the other one.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AbiWindow {
    /// The upstream.
    pub upstream: String,
    /// The rig's pin.
    pub base: Option<String>,
    /// The pin of the version that is upgraded to.
    pub head: Option<String>,
    /// Commits that change public headers, oldest first.
    pub commits: Vec<AbiCommit>,
    /// What of the window is stored.
    pub coverage: Option<Coverage>,
    /// Whether to build anew.
    pub rebuild: Rebuild,
}

/// Whether to build anew, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Rebuild {
    /// Whether.
    pub due: Due,
    /// Why.
    pub why: Vec<String>,
    /// How well it is supported.
    pub grade: Grade,
}

/// Whether something is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Due {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// It cannot be told.
    Unknown,
}

impl Due {
    /// As printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Due::Yes => "yes",
            Due::No => "no",
            Due::Unknown => "unknown",
        }
    }
}

/// A parameter that the upgrade changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EffectiveMove {
    /// The knob.
    pub knob: String,
    /// Its scope.
    pub scope: String,
    /// The value before.
    pub before: Option<String>,
    /// The value after.
    pub after: Option<String>,
    /// Where the value before came from.
    pub source_before: String,
    /// Where the value after comes from.
    pub source_after: String,
    /// The models that meet it.
    pub models: Vec<String>,
    /// How well it is supported.
    pub grade: Grade,
}
