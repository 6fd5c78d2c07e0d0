//! What each tool is asked: the schemas that a client is shown are made of these.

use schemars::JsonSchema;
use serde::Deserialize;

/// Which part of an answer.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Page {
    /// Rows to skip: the next page begins at offset + returned.
    #[serde(default)]
    pub offset: usize,
    /// Rows wanted; an answer that would grow too long has fewer.
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<usize>,
}

/// Asks `why`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Why {
    /// The upstream whose window it is: ollama or llama.cpp.
    #[serde(default = "ollama")]
    pub upstream: String,
    /// BASE..HEAD: tags (v0.32.9..v0.32.13), commits, build numbers (b10353..b10380), or
    /// latest and previous.
    pub window: String,
    /// What was seen, in plain words: "prompt processing is slower".
    pub symptom: Option<String>,
    /// What the model runs on.
    #[schemars(extend("enum" = crate::commands::why::BACKENDS))]
    pub backend: Option<String>,
    /// The model as Ollama names it: gemma4:26b.
    pub model: Option<String>,
    /// Where the change was seen.
    #[schemars(extend("enum" = crate::commands::why::PHASES))]
    pub phase: Option<String>,
    /// What kind of change it was.
    #[schemars(extend("enum" = crate::commands::why::KINDS))]
    pub kind: Option<String>,
    /// How much may be known: head (nothing after HEAD), now (the default), or a date.
    pub as_of: Option<String>,
    /// One list of the report alone, in pages. Without it: the best candidates and
    /// everything else in short.
    #[schemars(extend("enum" = WHY_PARTS))]
    pub part: Option<String>,
    #[serde(flatten)]
    pub page: Page,
}

/// Lists of a window's report.
pub const WHY_PARTS: [&str; 8] = [
    "candidates",
    "default_events",
    "effective",
    "absences",
    "open",
    "nested",
    "outside",
    "observations",
];

/// What narrows a search of history.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Filter {
    /// Only these upstreams; all that are stored without it.
    #[serde(default)]
    pub upstreams: Vec<String>,
    /// Only commits of this window: BASE..HEAD.
    pub window: Option<String>,
    /// Only files here: globs or directories.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Only commits of this class: default-change, sampler, cuda, moe, attention, perf …
    pub class: Option<String>,
    /// Only commits by authors that match this regular expression.
    pub author: Option<String>,
    /// Only commits of this day or later: 2026-08-12.
    pub since: Option<String>,
    /// Only commits of this day or earlier.
    pub until: Option<String>,
    /// Also commits that only tags reach.
    #[serde(default)]
    pub all: bool,
}

/// Asks `grep`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Grep {
    /// A regular expression (Rust's syntax), matched line by line.
    pub pattern: String,
    /// The pattern is a plain text.
    #[serde(default)]
    pub fixed: bool,
    /// Letters match in either case.
    #[serde(default)]
    pub ignore_case: bool,
    /// Only whole words.
    #[serde(default)]
    pub word: bool,
    /// What is searched: changed lines without it.
    #[serde(rename = "in")]
    #[schemars(extend("enum" = ["added", "removed", "message"]))]
    pub within: Option<String>,
    /// Search all files at UPSTREAM@REVISION (ollama@v0.32.13) instead of history.
    pub at: Option<String>,
    /// At most so many lines of each file in a commit.
    pub lines_per_file: Option<usize>,
    #[serde(flatten)]
    pub filter: Filter,
    #[serde(flatten)]
    pub page: Page,
}

/// Asks `search`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Search {
    /// Words; "a phrase", subject:word, path:word, added:word narrow it.
    pub words: String,
    #[serde(flatten)]
    pub filter: Filter,
    #[serde(flatten)]
    pub page: Page,
}

/// Asks `defaults`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Defaults {
    /// The upstream: ollama or llama.cpp.
    #[serde(default = "ollama")]
    pub upstream: String,
    /// One knob, in any spelling: repeat_penalty, RepeatPenalty, --repeat-penalty.
    pub knob: Option<String>,
    /// What moved between two versions: BASE..HEAD.
    pub window: Option<String>,
    /// The values at this version.
    pub at: Option<String>,
    /// Only this scope: request-option, env, server, runner, runner-flag, context,
    /// sampling, cli-help, bench, build or docs.
    pub scope: Option<String>,
    /// Which list: events (every move, oldest first) or values. Without it: events for a
    /// knob or a window, values otherwise.
    #[schemars(extend("enum" = DEFAULTS_PARTS))]
    pub part: Option<String>,
    #[serde(flatten)]
    pub page: Page,
}

/// Lists of the ledger.
pub const DEFAULTS_PARTS: [&str; 4] = ["events", "values", "drift", "covers"];

/// Asks `effective`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Effective {
    /// The model as Ollama names it.
    pub model: String,
    /// A version of the server that runs it: v0.32.13.
    pub at: String,
    /// That server.
    #[serde(default = "ollama")]
    pub upstream: String,
    #[serde(flatten)]
    pub page: Page,
}

/// Asks `show`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Show {
    /// A commit's id or the start of one, or a tag.
    pub commit: String,
    /// Its upstream, where the commit could be of several.
    pub upstream: Option<String>,
    /// Leave the patch out.
    #[serde(default)]
    pub no_patch: bool,
    #[serde(flatten)]
    pub page: Page,
}

/// Asks `file_at`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct FileAt {
    /// The upstream: ollama or llama.cpp.
    pub upstream: String,
    /// A tag, a branch, a commit or a build number.
    pub revision: String,
    /// The file.
    pub path: String,
    #[serde(flatten)]
    pub page: Page,
}

/// Asks `pins`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Pins {
    /// The upstream whose tags are read.
    #[serde(default = "ollama")]
    pub upstream: String,
    /// Only this tag.
    pub tag: Option<String>,
    /// Only this pin: llama.cpp, mlx, mlx-c.
    pub pin: Option<String>,
    #[serde(flatten)]
    pub page: Page,
}

/// Asks `contains`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Contains {
    /// The upstream of the release.
    #[serde(default = "ollama")]
    pub upstream: String,
    /// The release: a tag, a build number, a commit.
    pub release: String,
    /// The change: llama.cpp#26802, #17679, or a commit's id.
    pub change: String,
}

/// Asks `digest`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Digest {
    /// An ISO week by committer dates in UTC: 2026-W33. This week without it.
    pub week: Option<String>,
    /// From this day until now instead: 2026-08-01.
    pub since: Option<String>,
    /// Only these upstreams.
    #[serde(default)]
    pub upstreams: Vec<String>,
    /// One list of the digest alone, in pages.
    #[schemars(extend("enum" = DIGEST_PARTS))]
    pub part: Option<String>,
    #[serde(flatten)]
    pub page: Page,
}

/// Lists of a digest.
pub const DIGEST_PARTS: [&str; 9] = [
    "defaults",
    "work",
    "toolchain",
    "pins",
    "releases",
    "models",
    "advisories",
    "absences",
    "corrections",
];

fn ollama() -> String {
    "ollama".to_owned()
}
