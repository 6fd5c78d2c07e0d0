//! The user's machine: a reading beside the rig file, the readings before it, and upstream.

mod answer;
mod changed;
mod known;
mod report;
mod rules;
mod upstream;

pub use answer::{RigQuestion, rig};
pub use report::{
    Alert, AlertKind, Change, Expected, Lack, LibraryShown, LibraryState, PinNow, ReadingShown,
    RigReport, ScriptShown, ToolkitShown, UpstreamNow,
};
pub use rules::{RigRules, Role, ToolkitRule, stem};
pub use upstream::installed_pin;
pub(crate) use upstream::{moved, pins_of, unknown};
