//! A rig: the user's own machine, what is known of it, and what was read of it.
//!
//! The crawler takes readings and the questions compare them, so that both types live here.

mod file;
mod reading;

pub use file::{KnownBuild, RigFile, RigFileError, StartScript, Toolkit, Tools, is_place};
pub use reading::{
    Found, Gpu, LibraryFolder, LibraryRead, ModelRead, NvccRead, RigReading, ScriptRead,
    ServerRead, ToolkitFile,
};
