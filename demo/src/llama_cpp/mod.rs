//! The miniature of llama.cpp: C++, one line of squashed changes, a tag for most
//! builds, whose number is the count of commits up to it.

mod after;
mod before;
mod window;

use crate::history::{History, Person};

/// Names under which its commits are found.
pub mod names {
    /// The first commit.
    pub const ROOT: &str = "root";
    /// A side line of two commits joins: build 6.
    pub const MERGE: &str = "merge";
    /// The build that Ollama's window starts with (b21).
    pub const BASE: &str = "base-build";
    /// Several outputs sampled on the device: touches the sampler.
    pub const SAMPLER: &str = "sampler";
    /// The load mode's default goes from mmap to auto, with its help text, and a field
    /// of the public backend header comes in: the nested window's default change.
    pub const LOAD_MODE: &str = "load-mode";
    /// A CUDA kernel that only RWKV models run.
    pub const RWKV: &str = "rwkv-kernel";
    /// CUDA graphs stay on for more multiplications by experts.
    pub const EXPERTS: &str = "experts-graph";
    /// The build that Ollama's window ends with (b34).
    pub const HEAD: &str = "head-build";
    /// The server's time-outs go from 600 to 3600 seconds, after the window.
    pub const TIMEOUT: &str = "timeout";
    /// A later fix that names [`EXPERTS`] as what broke.
    pub const FIX: &str = "experts-fix";
    /// Generated documentation catches up with [`LOAD_MODE`].
    pub const DOCS_LAG: &str = "docs-lag";
    /// The last commit, with a tag of the newer kind (v0.1.0, annotated) beside b40.
    pub const NEWEST: &str = "newest";
}

const ADA: Person = Person { name: "Ada Quill", email: "ada@quill.example" };
const BO: Person = Person { name: "Bo Ferreira", email: "bo@ferreira.example" };
const DANA: Person = Person { name: "Dana Løvli", email: "dana@lovli.example" };
const WEB: Person = Person { name: "Miniature Hub", email: "noreply@hub.example" };

/// Builds without a tag: their release did not come out.
const UNTAGGED: [usize; 7] = [2, 3, 8, 13, 24, 29, 33];

/// The whole history.
pub(crate) fn history() -> History {
    let mut h = History::new("master");
    before::write(&mut h);
    window::write(&mut h);
    after::write(&mut h);
    h.tag_builds("b", &UNTAGGED).branch_here();
    h
}
