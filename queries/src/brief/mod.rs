//! The brief: what a reviewer of a rig must know before it is upgraded or rebuilt.

mod effective;
mod gather;
mod headline;
mod names;
mod rebuild;
mod report;
mod toolkits;

pub use gather::{BriefQuestion, brief};
pub use names::own_names;
pub use report::{
    AbiWindow, Brief, Due, EffectiveMove, NewestRelease, OptionsMoved, Rebuild, ToolkitBuilt,
    VersionLine,
};
