//! A miniature pair of upstream histories of our own writing.
//!
//! Small enough to be made in a moment, shaped like the real ones: an "ollama" whose
//! window `v0.6.0..v0.6.2` holds a silent default change, a pin bump, a cherry-pick's
//! twin, other engines' and other models' changes, inert and hostile commits; and a
//! "llama.cpp" whose builds b21 to b34 lie under that pin. `headwater demo` and the
//! tests read it through git, as they read the real ones; the built-in upstream files
//! apply unchanged. All dates and authors are fixed, so every id is the same everywhere.
//!
//! It depends on no other crate of this workspace. Begin with [`build()`], which makes both;
//! [`History`] and [`Repository`] make any other ([`Draft`] is one commit of it), and
//! [`ollama::names`] and [`llama_cpp::names`] say what each commit is for.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let dir = std::env::temp_dir().join(format!("headwater-demo-doc-{}", std::process::id()));
//! let mut demo = headwater_demo::build(&dir)?;
//! let penalty = demo.ollama.sha(headwater_demo::ollama::names::PENALTY);
//! assert!(penalty.is_some());
//!
//! // Upstream goes on:
//! demo.ollama.append(|h| {
//!     h.commit("next", "api: warmer", |c| {
//!         c.edit("api/types.go", "Temperature:      0.8,", "Temperature:      1.0,");
//!     });
//!     h.tag("v0.6.4").branch_here();
//! })?;
//! # std::fs::remove_dir_all(&dir)?;
//! # Ok(())
//! # }
//! ```

mod error;
mod history;
pub mod llama_cpp;
pub mod ollama;
mod repository;

use std::path::Path;

pub use error::DemoError;
pub use history::{Draft, History, Person};
pub use repository::Repository;

/// Where the story's window starts: a tag beside main, which main does not contain.
pub const BASE: &str = "v0.6.0";
/// Where it ends.
pub const HEAD: &str = "v0.6.2";
/// How many commits git counts in it, merges included.
pub const COMMITS: usize = 19;
/// How many commits BASE has that HEAD has not.
pub const BEHIND: usize = 2;
/// How many of [`COMMITS`] BASE already had under another id.
pub const ALREADY_SHIPPED: usize = 1;
/// The llama.cpp that BASE pins.
pub const PIN_BASE: &str = "b21";
/// The llama.cpp that HEAD pins.
pub const PIN_HEAD: &str = "b34";
/// How many commits the nested window holds.
pub const NESTED_COMMITS: usize = 13;
/// The model that the story's reader runs.
pub const MODEL: &str = "gemma4:26b";
/// The backend that the story's reader has.
pub const BACKEND: &str = "cuda";

/// Both miniatures on disk.
#[derive(Debug)]
pub struct Demo {
    /// The Go repository, a bare clone.
    pub ollama: Repository,
    /// The C++ repository, a bare clone.
    pub llama_cpp: Repository,
}

impl Demo {
    /// The window, as a command line takes it.
    pub fn window(&self) -> String {
        format!("{BASE}..{HEAD}")
    }
}

/// Makes both miniatures in `dir`: `ollama.git` and `llama.cpp.git`.
///
/// # Errors
/// When `dir` cannot be written, or git (2.30 or later) is not there or fails.
pub fn build(dir: &Path) -> Result<Demo, DemoError> {
    let llama_cpp = Repository::create(dir, "llama.cpp.git", llama_cpp::history())?;
    let history = ollama::history(&llama_cpp)?;
    let ollama = Repository::create(dir, "ollama.git", history)?;
    Ok(Demo { ollama, llama_cpp })
}
