//! The report, in the shape that leaves the process: `headwater/why/1`.

use chrono::{DateTime, Utc};
use headwater_store::Oid;
use headwater_store::evidence::{Absence, Coverage, Evidence, Grade, Receipt};
use schemars::JsonSchema;
use serde::Serialize;

use super::mine::Mine;
use super::said::{PullSource, Said};
use crate::ledger::RestoreWay;
use crate::measure::{Disagreement, ObservationShown, SpeedTable};
use crate::pins::PinGapKind;
use crate::rank::ReasonKind;

/// Everything that was found out about a window.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WhyReport {
    /// `headwater/why/1`
    pub schema: &'static str,
    /// The answer in a line.
    pub headline: String,
    /// What was asked, as options that ask it again.
    pub question: String,
    /// The window.
    pub window: WindowReport,
    /// The windows of pinned upstreams that it opens.
    pub nested: Vec<NestedWindow>,
    /// Its commits and those of its nested windows, best explanation first.
    pub candidates: Vec<Candidate>,
    /// The strongest candidates of the releases beside the window.
    pub outside: Vec<Outside>,
    /// How to bisect what is left, an upstream each.
    pub bisect: Vec<Bisect>,
    /// How many candidates have each verdict, before `--top` cut the list.
    pub verdicts: Vec<(Verdict, usize)>,
    /// The defaults that moved, in the order of their commits' ranks.
    pub default_events: Vec<DefaultEvent>,
    /// What a request that sets nothing really runs with, where it changed.
    pub effective: Vec<Effective>,
    /// What was looked for and not found.
    pub absences: Vec<Absence>,
    /// What could not be settled.
    pub open: Vec<OpenQuestion>,
    /// What was measured of it.
    pub observations: Vec<ObservationShown>,
    /// Observations that disagree.
    pub disagreements: Vec<Disagreement>,
    /// What people wrote of it.
    pub said: Said,
    /// The table of speeds that the window was found by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speeds: Option<SpeedTable>,
    /// What it means for each installed model, where it was asked for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mine: Option<Mine>,
}

/// A window.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WindowReport {
    /// The upstream.
    pub upstream: String,
    /// The excluded end.
    pub base: String,
    /// The included end.
    pub head: String,
    /// Its commit.
    pub base_sha: Oid,
    /// Its commit.
    pub head_sha: Oid,
    /// `ahead`, `diverged` or `identical`, as GitHub's compare says it.
    pub status: &'static str,
    /// Commits in it, as git counts them.
    pub commits: usize,
    /// Commits that BASE has and HEAD has not.
    pub behind: usize,
    /// Commits that BASE already had under another id.
    pub already_shipped: usize,
    /// `commits` less `already_shipped`.
    pub new: usize,
    /// When HEAD was committed.
    pub head_date: DateTime<Utc>,
    /// What of it is stored.
    pub coverage: Coverage,
    /// How each end was found, where it was not a plain tag: a counted build number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The window of a pinned upstream.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NestedWindow {
    /// The pin's name.
    pub pin: String,
    /// The pinned upstream.
    pub upstream: String,
    /// The value at BASE.
    pub pin_base: Option<String>,
    /// The value at HEAD.
    pub pin_head: Option<String>,
    /// The commit that moved it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_by: Option<Oid>,
    /// The window itself; `None` where it is a gap.
    #[serde(flatten)]
    pub window: Option<WindowReport>,
    /// Why the window cannot be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<String>,
    /// What kind of gap that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap_kind: Option<PinGapKind>,
}

/// What is to be thought of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It may explain the change.
    Candidate,
    /// Wrong model, phase or scope, already shipped, or undone within the window.
    Excluded,
    /// Not on the engine or backend in question.
    OffPath,
    /// It changes nothing that a model on the server meets.
    Inert,
    /// A measurement showed it.
    ConfirmedByToggle,
}

impl Verdict {
    /// Whether the commit is not ruled out.
    pub const fn is_open(self) -> bool {
        matches!(self, Verdict::Candidate | Verdict::ConfirmedByToggle)
    }

    /// As printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Verdict::Candidate => "candidate",
            Verdict::Excluded => "excluded",
            Verdict::OffPath => "off-path",
            Verdict::Inert => "inert",
            Verdict::ConfirmedByToggle => "confirmed-by-toggle",
        }
    }
}

/// One part of a score, in words.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Reason {
    /// What kind of evidence it is.
    pub kind: ReasonKind,
    /// Its points; negative where it speaks against the commit.
    pub points: f64,
    /// What it says.
    pub words: String,
    /// The lines that show it, where it rests on lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
}

/// A class and the lines that gave it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ClassEvidence {
    /// The class.
    pub class: String,
    /// The rule.
    pub rule: String,
    /// The lines.
    pub evidence: Vec<Evidence>,
}

/// A commit that may explain the change, or may not.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Candidate {
    /// Its place, from 1.
    pub rank: usize,
    /// The upstream.
    pub upstream: String,
    /// The commit.
    pub sha: Oid,
    /// The message's first line: a stranger's text.
    pub subject: String,
    /// The committer's date.
    pub date: DateTime<Utc>,
    /// The pull request that it came with, where that is known.
    pub pr: Option<u32>,
    /// How that is known, or not.
    pub pull_source: PullSource,
    /// The first tag that contains it.
    pub first_tag: Option<String>,
    /// The first final tag that contains it.
    pub first_final_tag: Option<String>,
    /// The earliest tag that contains it or a twin.
    pub first_shipped: Option<String>,
    /// Other commits with the same patch.
    pub twins: Vec<Oid>,
    /// What is to be thought of it.
    pub verdict: Verdict,
    /// Why it is ruled out, where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict_reason: Option<String>,
    /// The installed models that it may reach, where it was asked for them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reaches: Vec<String>,
    /// The sum of its reasons' points.
    pub score: f64,
    /// What it is about.
    pub classes: Vec<ClassEvidence>,
    /// Why it stands where it stands, largest first.
    pub reasons: Vec<Reason>,
    /// How well its place is supported.
    pub grade: Grade,
    /// How its records were obtained.
    pub receipts: Vec<Receipt>,
}

/// On which side of a window something lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "SideOfWindow")]
pub enum Side {
    /// Before BASE.
    Before,
    /// After HEAD.
    After,
}

/// A release beside the window, which may be off by one.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Outside {
    /// Where it lies.
    pub side: Side,
    /// The upstream.
    pub upstream: String,
    /// The excluded end.
    pub base: String,
    /// The included end.
    pub head: String,
    /// Its commits and those of its nested windows.
    pub commits: usize,
    /// Those that would stand high in the window itself.
    pub candidates: Vec<Candidate>,
}

/// A `git bisect` over what is left of a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Bisect {
    /// The upstream, in whose clone it runs.
    pub upstream: String,
    /// How it begins.
    pub command: String,
    /// Commits that are not ruled out, merges left out.
    pub left: usize,
    /// Commits that it looks at: those that touch the paths.
    pub tested: usize,
    /// About how many builds it asks for.
    pub steps: u32,
    /// Releases with files that part what is left, where the store knows of some.
    pub to_try: Vec<BuildToTry>,
}

/// A release that is ready to be tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BuildToTry {
    /// Its tag.
    pub tag: String,
    /// Its commit.
    pub sha: Oid,
    /// How many files it has to download, as its host listed them.
    pub files: usize,
    /// Changes that are not ruled out and that it has.
    pub before: usize,
    /// Those that it does not have.
    pub after: usize,
    /// Its page.
    pub url: String,
}

/// A default that moved.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DefaultEvent {
    /// The upstream.
    pub upstream: String,
    /// The commit that moved it.
    pub sha: Oid,
    /// The knob.
    pub knob: String,
    /// Where the default is decided.
    pub scope: String,
    /// The value before; `None` where there was none.
    pub old: Option<String>,
    /// The value after; `None` where there is none.
    pub new: Option<String>,
    /// The file.
    pub path: String,
    /// The line of the new value (of the old one, where none is new).
    pub line: u32,
    /// How a user gets the old value back.
    pub restore: Vec<RestoreWay>,
    /// What the new value comes to on the backend in question, where a rule knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_device: Option<OnDevice>,
    /// Why the model or the backend in question does not meet it, where that is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_met: Option<String>,
    /// The window's head, where the value is back by then to what it was at the base.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub back_by: Option<String>,
    /// How well it is supported.
    pub grade: Grade,
}

impl DefaultEvent {
    /// Whether the window's ends differ in the value, and the question's model and backend
    /// may meet that.
    pub fn is_met(&self) -> bool {
        self.not_met.is_none() && self.back_by.is_none()
    }

    /// Whether such a value went to another: the knob is neither new nor gone.
    pub fn counts(&self) -> bool {
        self.old.is_some() && self.new.is_some() && self.is_met()
    }
}

/// What a computed default comes to on a device.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OnDevice {
    /// The device, in words.
    pub device: String,
    /// The value.
    pub becomes: String,
    /// Whether that is what the old default came to.
    pub unchanged: bool,
    /// Why.
    pub why: String,
    /// The lines that show it.
    pub evidence: Vec<Evidence>,
}

/// A parameter that a request which sets nothing runs with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Effective {
    /// The model.
    pub model: String,
    /// The knob.
    pub knob: String,
    /// The value at BASE.
    pub before: Option<String>,
    /// The value at HEAD.
    pub after: Option<String>,
    /// Where the value at BASE came from.
    pub source_before: String,
    /// Where the value at HEAD comes from.
    pub source_after: String,
}

/// Something that could not be settled.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OpenQuestion {
    /// The question.
    pub question: String,
    /// How well what is assumed meanwhile is supported.
    pub grade: Grade,
    /// The commands that would settle it.
    pub rederive: Vec<String>,
}
