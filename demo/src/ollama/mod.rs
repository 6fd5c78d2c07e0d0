//! The miniature of Ollama: Go, with every home that its pin of llama.cpp ever had,
//! and a window in which a default changes without a word.

mod early;
mod odd;
mod runners;
mod window;

use crate::history::{History, Person};
use crate::{DemoError, Repository, llama_cpp};

/// Names under which its commits are found.
pub mod names {
    /// The first commit, which pins nothing.
    pub const ROOT: &str = "root";
    /// The first pin: a comment in a vendored header.
    pub const PIN_HEADER: &str = "pin-header";
    /// The header moves: same pin, other home.
    pub const PIN_HEADER_MOVED: &str = "pin-header-moved";
    /// Two gitlinks at once.
    pub const PIN_TWO: &str = "pin-two-gitlinks";
    /// One gitlink.
    pub const PIN_GITLINK: &str = "pin-gitlink";
    /// `llama/vendoring.env`.
    pub const PIN_VENDORING_ENV: &str = "pin-vendoring-env";
    /// `llama/vendoring`.
    pub const PIN_VENDORING: &str = "pin-vendoring";
    /// `Makefile.sync`, nine digits of a sha.
    pub const PIN_MAKEFILE: &str = "pin-makefile";
    /// `LLAMA_CPP_VERSION`; the old runners leave the tree.
    pub const PIN_FILE: &str = "pin-file";
    /// The window's pin at its base, in a file without a final newline.
    pub const PIN_BASE: &str = "pin-base";
    /// The bump that opens the nested window.
    pub const PIN_BUMP: &str = "pin-bump";

    /// The first of three: the penalty goes from 1.1 to 1.0, long before the window.
    pub const PENALTY_FIRST: &str = "penalty-first";
    /// And back.
    pub const PENALTY_BACK: &str = "penalty-back";
    /// The silent default change of the window: RepeatPenalty 1.1 to 1.0.
    pub const PENALTY: &str = "penalty";
    /// The context's default goes from 2048 to 4096, before the window.
    pub const CONTEXT: &str = "context";
    /// OLLAMA_NUM_PARALLEL goes from 0 to 1, before the window.
    pub const PARALLEL: &str = "parallel";
    /// The context's default goes from 4096 to 0, after the window.
    pub const CONTEXT_LATER: &str = "context-later";

    /// The last commit that main and the release line share.
    pub const FORK: &str = "fork";
    /// Another family's renderer, on main.
    pub const NEMOTRON: &str = "nemotron";
    /// Its cherry-pick on the release line: the same patch, shipped in BASE.
    pub const NEMOTRON_TWIN: &str = "nemotron-twin";
    /// The release line's own last commit: the tag v0.6.0.
    pub const RELEASE: &str = "release";

    /// Only documentation: inert.
    pub const DOCS: &str = "docs";
    /// A build preset of the MLX engine.
    pub const MLX_PRESET: &str = "mlx-preset";
    /// The second pin moves.
    pub const MLX_PIN: &str = "mlx-pin";
    /// A layer of the MLX engine.
    pub const MLX_LAYER: &str = "mlx-layer";
    /// A file that every engine uses, behind a condition that only MLX models meet.
    pub const MLX_GUARD: &str = "mlx-guard";
    /// A file that every engine uses, for every model.
    pub const VERIFY: &str = "verify";
    /// The OpenAI endpoints get a feature.
    pub const WEB_SEARCH: &str = "web-search";
    /// The agent's tools: inert.
    pub const AGENT: &str = "agent";
    /// The subject speaks of a launcher, the patch also changes `openai/`.
    pub const LAUNCH_AND_OPENAI: &str = "launch-openai";
    /// A launcher and its icon, a binary file: inert.
    pub const LAUNCH: &str = "launch";
    /// Another family's renderer.
    pub const GLIMMER: &str = "glimmer";
    /// Another family's renderer and its import into the MLX engine.
    pub const QWEN: &str = "qwen";
    /// A merge in the window.
    pub const MERGE: &str = "merge";
    /// The one commit that the merge brings.
    pub const MERGED: &str = "merged";
    /// A message made to harm whoever prints it.
    pub const HOSTILE: &str = "hostile";
    /// The window's last commit: the tag v0.6.2.
    pub const HEAD: &str = "head";
    /// The last commit of main, after the window.
    pub const NEWEST: &str = "newest";

    /// A file moves and changes.
    pub const RENAME: &str = "rename";
    /// A binary file comes in and another changes.
    pub const BINARY: &str = "binary";
    /// Only a mode changes.
    pub const MODE: &str = "mode";
    /// A file with CRLF line ends changes one line.
    pub const CRLF: &str = "crlf";
    /// A file loses its final newline.
    pub const NO_NEWLINE: &str = "no-newline";
    /// A symbolic link comes in.
    pub const SYMLINK: &str = "symlink";
    /// A file becomes a symbolic link.
    pub const TYPE_CHANGE: &str = "type-change";
    /// A path and a message beyond ASCII.
    pub const NON_ASCII: &str = "non-ascii";
    /// A message in ISO-8859-1.
    pub const LATIN1: &str = "latin1";
    /// Changed lines that look like the headers of a diff.
    pub const HEADER_LINES: &str = "header-lines";
    /// Paths with spaces, quotes and a tab.
    pub const QUOTED_PATHS: &str = "quoted-paths";
    /// No message and no name of the author.
    pub const SILENT: &str = "silent";
    /// No change at all.
    pub const EMPTY: &str = "empty";
}

const JO: Person = Person { name: "Jo Marsh", email: "jo@marsh.example" };
const KIM: Person = Person { name: "Kim Osei", email: "kim@osei.example" };
const LEV: Person = Person { name: "Лев Тихий", email: "lev@tikhiy.example" };
const PAT: Person = Person { name: "Pat Rowan", email: "pat@rowan.example" };
const RENE: Person = Person { name: "René Ollier", email: "rene@ollier.example" };
const NOBODY: Person = Person { name: "", email: "nobody@nowhere.example" };
const MALLORY: Person =
    Person { name: "Mallory \u{1b}[2J\u{202e}yrollaM", email: "mallory@evil.example" };
const WEB: Person = Person { name: "Miniature Hub", email: "noreply@hub.example" };

/// The versions of llama.cpp that the history pins.
struct Pins {
    first: String,
    second: String,
    third: String,
    fourth: String,
    fifth: String,
    sixth: String,
}

/// The whole history; it pins commits of the other miniature.
pub(crate) fn history(llama_cpp: &Repository) -> Result<History, DemoError> {
    let sha = |name: &str| {
        llama_cpp.sha(name).map(str::to_owned).ok_or_else(|| DemoError::History {
            commit: name.to_owned(),
            why: "the miniature of llama.cpp has no such commit".to_owned(),
        })
    };
    let pins = Pins {
        first: sha(llama_cpp::names::ROOT)?,
        second: sha("readme")?,
        third: sha(llama_cpp::names::MERGE)?,
        fourth: sha("backend")?,
        fifth: sha("sampling")?,
        sixth: sha("loader")?,
    };
    let mut h = History::new("main");
    early::write(&mut h, &pins);
    runners::write(&mut h, &pins);
    odd::write(&mut h);
    window::write(&mut h);
    h.branch_here();
    Ok(h)
}
