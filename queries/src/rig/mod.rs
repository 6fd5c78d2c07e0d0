//! The user's own machine: what its log tells, and what was read of it beside what is
//! known of it and of upstream.

mod answer;
mod lines;
mod log;
mod machine;

pub use answer::{Pays, PenaltiesAnswer};
pub use log::{Chain, Flag, Launch, Params, RigLog, Sampler, ServerVersion, Setting, read_log};
pub use machine::{
    Alert, AlertKind, Change, Expected, Lack, LibraryShown, LibraryState, PinNow, ReadingShown,
    RigQuestion, RigReport, RigRules, Role, ScriptShown, ToolkitRule, ToolkitShown, UpstreamNow,
    installed_pin, rig, stem,
};
pub(crate) use machine::{moved, pins_of, unknown};
