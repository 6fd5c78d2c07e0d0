//! The report, in the shape that leaves the process: `headwater/rig/1`.

use chrono::{DateTime, Utc};
use headwater_store::Digest;
use headwater_store::evidence::Grade;
use headwater_store::rig::{Found, Gpu, ModelRead, NvccRead, ServerRead, Toolkit, ToolkitFile};
use schemars::JsonSchema;
use serde::Serialize;

use super::rules::Role;
use crate::defaults::EventRow;
use crate::why::OpenQuestion;

/// What was found out about a rig.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RigReport {
    /// `headwater/rig/1`
    pub schema: &'static str,
    /// The answer in a line.
    pub headline: String,
    /// The rig's name.
    pub rig: String,
    /// The reading.
    pub reading: ReadingShown,
    /// The reading before it, if there is one.
    pub before: Option<ReadingShown>,
    /// What should not be so.
    pub alerts: Vec<Alert>,
    /// The local server.
    pub server: Found<ServerRead>,
    /// The build that should be installed.
    pub expected: Option<Expected>,
    /// The libraries of the backend folders.
    pub libraries: Vec<LibraryShown>,
    /// What start scripts expect.
    pub scripts: Vec<ScriptShown>,
    /// CUDA's tools, each by its own count.
    pub toolkit: ToolkitShown,
    /// The models that are installed.
    pub models: Found<Vec<ModelRead>>,
    /// What is another since the reading before.
    pub changes: Vec<Change>,
    /// Upstream's newest, and what moved on the way there.
    pub upstream: UpstreamNow,
    /// What was looked for and is not there, or tells nothing.
    pub lacking: Vec<Lack>,
    /// What could not be settled.
    pub open: Vec<OpenQuestion>,
}

/// A reading, by which a claim on this machine is supported.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReadingShown {
    /// Its number in the store.
    pub id: i64,
    /// When it was taken.
    pub taken: DateTime<Utc>,
    /// The platform.
    pub platform: String,
    /// How well it supports a claim.
    pub grade: Grade,
}

/// What kind of alert it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AlertKind {
    /// A file has a name that known builds have, and a hash of none of them.
    UnknownFile,
    /// A file is that of a known build, and another one should be installed.
    OtherBuild,
    /// Files of several builds lie together.
    MixedBuilds,
    /// A file's build belongs to another version of the server, or to another pin than it.
    OtherVersion,
    /// A library changed beside a backend that calls it and did not change.
    CalledChanged,
    /// A start script expects another hash.
    ScriptExpects,
    /// A file of the expected build is not there.
    Missing,
}

/// What should not be so.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Alert {
    /// What kind.
    pub kind: AlertKind,
    /// The same in words.
    pub says: String,
    /// The file that it is about.
    pub file: Option<String>,
    /// The hash that it has.
    pub sha256: Option<Digest>,
    /// What it has to do with: hashes of builds, of scripts, of earlier readings.
    pub wants: Vec<String>,
    /// How to look oneself.
    pub rederive: Vec<String>,
    /// How well it is supported.
    pub grade: Grade,
}

/// The build that should be installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Expected {
    /// Its name.
    pub name: String,
    /// Its version of Ollama.
    pub ollama: Option<String>,
    /// Its pin.
    pub pin: Option<String>,
    /// Its toolkit.
    pub toolkit: Toolkit,
}

/// What a library's hash says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LibraryState {
    /// It is that of the expected build.
    Expected,
    /// It is that of a known build.
    Known,
    /// It is that of a known build, and another is expected.
    Other,
    /// Its name is known and its hash is not.
    Unknown,
    /// No known build names it.
    Unlisted,
}

/// A library.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LibraryShown {
    /// The folder.
    pub folder: String,
    /// Its place in it.
    pub place: String,
    /// What it is to the rig.
    pub role: Role,
    /// The sha256 of its bytes.
    pub sha256: Digest,
    /// How many bytes it has.
    pub bytes: u64,
    /// What it points to, where it is a link.
    pub link: Option<String>,
    /// What its hash says.
    pub state: LibraryState,
    /// The known builds that have it.
    pub builds: Vec<String>,
}

/// A start script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScriptShown {
    /// Its file name.
    pub script: String,
    /// The library that it checks.
    pub file: String,
    /// The hash that it expects.
    pub expects: Found<Digest>,
    /// Whether the library has it; none where either is not known.
    pub holds: Option<bool>,
}

/// CUDA's tools.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ToolkitShown {
    /// The compiler: its release without updates, and its own version.
    pub nvcc: Found<NvccRead>,
    /// version.json: the whole and its parts.
    pub version_json: Found<ToolkitFile>,
    /// Devices and their driver.
    pub gpus: Found<Vec<Gpu>>,
    /// Where what is installed is not what the expected build was built with.
    pub differs: Vec<String>,
}

/// Something that is another than before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Change {
    /// What: `Ollama`, a library, a model, a tool.
    pub what: String,
    /// What it was; none where it was not there.
    pub old: Option<String>,
    /// What it is; none where it has gone.
    pub new: Option<String>,
}

/// Upstream, seen from the rig.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct UpstreamNow {
    /// The upstream of the server.
    pub upstream: String,
    /// The tag of the version that runs, or that the expected build belongs to.
    pub installed: Option<String>,
    /// The newest stored release.
    pub newest: Option<String>,
    /// How many releases came after the installed one.
    pub behind: Option<usize>,
    /// The pins of what is installed and of the newest.
    pub pins: Vec<PinNow>,
    /// Defaults that moved from what is installed to the newest, in the server and in the
    /// engines that it pins.
    pub defaults: Vec<EventRow>,
}

/// A pin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PinNow {
    /// Its name.
    pub pin: String,
    /// The pinned upstream.
    pub upstream: String,
    /// What the rig has.
    pub rig: Option<String>,
    /// Who says so: the build of the rig file, or the installed version's own tree.
    pub rig_by: Option<&'static str>,
    /// What the newest release has.
    pub newest: Option<String>,
}

/// Something that is not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Lack {
    /// What was looked for.
    pub what: String,
    /// Why it is not known.
    pub why: String,
}

impl RigReport {
    /// Whether something is not as it should be.
    pub fn is_alert(&self) -> bool {
        !self.alerts.is_empty()
    }
}
