//! Why did this version window change? The window, its nested windows, the ranked
//! candidates with their verdicts, the default changes, and what could not be settled.

mod absences;
mod answer;
mod bisect;
mod builds;
mod candidates;
pub mod check;
mod collect;
mod defaults;
mod effective;
mod engines;
mod families;
mod gather;
mod headline;
mod known;
mod lineage;
mod measured;
mod meets;
mod mine;
mod nested;
mod open;
mod outside;
mod paths;
mod prepared;
mod prior;
mod pull_words;
mod report;
mod returned;
mod said;
mod score;
mod spared;
mod undone;
mod verdict;

pub(crate) use absences::questions as absent_questions;
pub use answer::{Rules, why};
pub use mine::{Mine, MyModel, mine};
pub use report::{
    Bisect, Candidate, ClassEvidence, DefaultEvent, Effective, NestedWindow, OpenQuestion, Outside,
    Reason, Side, Verdict, WhyReport, WindowReport,
};
pub use said::{PullSource, Said, Silent, SilentCommit, Unasked};
pub(crate) use verdict::lines as label_lines;

use crate::window::WindowSpec;

/// A question about a window.
#[derive(Debug, Clone)]
pub struct WhyQuestion {
    /// The upstream's name.
    pub upstream: String,
    /// The window, as written.
    pub window: WindowSpec,
    /// What was seen, in the asker's words.
    pub symptom: Option<String>,
    /// The backend in use.
    pub backend: Option<String>,
    /// The model in use.
    pub model: Option<String>,
    /// The phase in question: `prefill`, `decode`, `load`.
    pub phase: Option<String>,
    /// What kind of change was seen: `speed`, `output`, `memory`, `crash`, `build`, `api`.
    pub kind: Option<String>,
    /// The version that is installed, where that is known.
    pub installed: Option<String>,
    /// Nothing after this counts.
    pub as_of: AsOf,
    /// How many threads may work on it.
    pub jobs: usize,
}

/// How much of history may be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AsOf {
    /// Nothing from after the window's head.
    Head,
    /// Everything that is stored.
    Now,
    /// What was committed until then, in seconds since 1970.
    Time(i64),
}
