//! What the ledger is made of: the default of a knob in one version of a file,
//! and the event of its change.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lang::Names;

/// Where a default is decided, which also says who meets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// An option of a request to the server, or of a Modelfile.
    RequestOption,
    /// An environment variable.
    Env,
    /// The server: its requests, its scheduler, its rules.
    Server,
    /// The process that runs the model.
    Runner,
    /// A flag with which one process starts another.
    RunnerFlag,
    /// Model and context parameters of the engine.
    Context,
    /// Sampling parameters of the engine.
    Sampling,
    /// What a program's help says.
    CliHelp,
    /// The benchmark tool.
    Bench,
    /// How the program is built.
    Build,
    /// Documentation.
    Docs,
}

impl Scope {
    /// The name, as output and TOML spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RequestOption => "request-option",
            Self::Env => "env",
            Self::Server => "server",
            Self::Runner => "runner",
            Self::RunnerFlag => "runner-flag",
            Self::Context => "context",
            Self::Sampling => "sampling",
            Self::CliHelp => "cli-help",
            Self::Bench => "bench",
            Self::Build => "build",
            Self::Docs => "docs",
        }
    }

    /// All scopes, in the order of their declaration.
    pub const ALL: [Scope; 11] = [
        Self::RequestOption,
        Self::Env,
        Self::Server,
        Self::Runner,
        Self::RunnerFlag,
        Self::Context,
        Self::Sampling,
        Self::CliHelp,
        Self::Bench,
        Self::Build,
        Self::Docs,
    ];
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        let found = Self::ALL.into_iter().find(|s| s.name() == text);
        found.ok_or_else(|| UnknownScope(text.to_owned()))
    }
}

/// A text that names no scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no scope: request-option, env, server, runner, runner-flag, context, sampling, cli-help, bench, build or docs"
)]
pub struct UnknownScope(pub String);

/// How a value comes about.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(tag = "kind", content = "detail", rename_all = "kebab-case")]
pub enum How {
    /// It stands there.
    Literal,
    /// A constant of the same file stands for it: the constant's value.
    Constant(String),
    /// It is computed: the expression, with what the same file says of its names.
    Computed(String),
    /// The field is left out, so that the language's zero value holds.
    Zero,
    /// It takes what another place says: that place.
    Inherits(String),
    /// It holds under this condition.
    When(String),
    /// It depends on conditions, all of which the value shows.
    Conditional,
    /// What is unset gets this value in code.
    Resolved,
    /// A rule in code, told as its conditions and results.
    Rule,
}

/// One knob's default in one version of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The extractor that found it.
    #[serde(skip)]
    pub extractor: usize,
    /// The knob, spelled as its home spells it, old spellings mapped to today's.
    pub knob: String,
    /// Its scope.
    pub scope: Scope,
    /// The value, as written.
    pub value: String,
    /// How the value comes about.
    pub how: How,
    /// The line, from 1.
    pub line: u32,
    /// Other spellings of the knob that stand beside it: a flag's environment
    /// variable, a field's name in requests.
    pub names: Vec<String>,
    /// The places that the value is put together from, each with its line.
    #[serde(skip)]
    pub(crate) pieces: Vec<(String, u32)>,
    /// What the same file says of the names in the value.
    #[serde(skip)]
    pub(crate) resolved: Vec<(String, String)>,
    /// The names that stand around it, as far as they can tell a rename.
    #[serde(skip)]
    pub(crate) around: Names,
}

/// One knob's default going from one value to another in one commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Event {
    /// The extractor's id.
    pub extractor: String,
    /// The knob.
    pub knob: String,
    /// Its scope.
    pub scope: Scope,
    /// The value before; `None` where the knob was not there.
    pub old: Option<String>,
    /// The value after; `None` where the knob has gone.
    pub new: Option<String>,
    /// The path after (before, for a knob that has gone).
    pub path: String,
    /// The line in that path, from 1.
    pub line: u32,
    /// The path and line before, where the knob was there.
    pub before: Option<(String, u32)>,
    /// How the new value comes about (the old, for a knob that has gone).
    pub how: How,
    /// Other spellings of the knob.
    pub names: Vec<String>,
}

impl Event {
    /// Whether a knob that was there before and after has another value: neither
    /// a new knob nor one that has gone.
    pub fn is_move(&self) -> bool {
        self.old.is_some() && self.new.is_some()
    }
}
