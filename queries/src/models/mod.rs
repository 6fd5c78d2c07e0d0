//! Models: what they publish, what of it changed, and what a request to one really runs
//! with.

mod answer;
mod effective;
mod effects;
mod history;

pub(crate) use answer::version_of;
pub use answer::{ModelAnswer, ModelSummary, model, summaries};
pub use effective::{AtVersion, Decider, EffectiveRow, Engine, VersionRead, effective};
pub(crate) use effective::{
    Options, Own, Passed, Reach, ServerAt, Since, options_of, passed, read, runs, server_rows,
};
pub use effects::{EffectOf, EffectsAnswer, Reached, effects};
pub use history::{HistoryEntry, Moved};
