//! Tracked repositories, as their TOML files declare them.

mod load;
mod version;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use load::{UpstreamError, Upstreams};
pub use version::Version;

/// A tracked repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Upstream {
    /// How commands name it: `ollama`, `llama.cpp`.
    pub name: String,
    /// Other names by which people and old links know it (`ggerganov/llama.cpp`).
    #[serde(default)]
    pub aliases: Vec<String>,
    /// `owner/name` on GitHub.
    pub repository: String,
    /// The default branch.
    pub branch: String,
    /// A prefix that users may leave out of a tag (`v`, so that `0.32.9` means `v0.32.9`).
    #[serde(default)]
    pub tag_prefix: String,
    /// A regular expression for final releases among the tags; the others are
    /// candidates, nightlies or marks.
    pub final_tag: String,
    /// A regular expression for the tags whose releases people write notes for; without
    /// one, `final_tag`.
    #[serde(default)]
    pub noted_tag: Option<String>,
    /// The tag prefix whose number counts the commits reachable from it (`b`), where
    /// upstream numbers its builds so.
    #[serde(default)]
    pub build_prefix: Option<String>,
    /// Where upstream numbers its builds: the build from which on it tags versions
    /// beside them. Without it, none are looked for beside builds.
    #[serde(default)]
    pub versions_from_build: Option<u64>,
    /// Where its tree names versions of other upstreams.
    #[serde(default)]
    pub pins: Vec<Pin>,
    /// The engines that run models in it, and which of its files are theirs.
    #[serde(default)]
    pub engines: Vec<Engine>,
    /// The model families whose prompts or graphs it has code for, by path.
    #[serde(default)]
    pub family_paths: Vec<FamilyPath>,
    /// Globs of files that no running program reads: tests, their data, documentation.
    #[serde(default)]
    pub quiet: Vec<String>,
}

/// A named version of another upstream, and every place it ever had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// How output names the pin.
    pub name: String,
    /// The pinned upstream's name, tracked or not.
    pub upstream: String,
    /// Its homes. Every home that a tree has is a pin of that tree.
    pub homes: Vec<PinHome>,
}

/// One place in a tree that holds a pin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PinHome {
    /// The path of the file, or of the gitlink.
    pub path: String,
    /// Whether the path is a gitlink (a submodule), whose id is the value.
    #[serde(default)]
    pub gitlink: bool,
    /// For a file: a regular expression whose first group is the value. Without one
    /// the whole trimmed file is the value.
    #[serde(default)]
    pub value: Option<String>,
    /// Homes of a lower rank count only where no home of a higher rank is in the tree:
    /// a vendored header keeps its comment long after it stopped to be the pin.
    #[serde(default)]
    pub rank: u8,
}

/// A way in which an upstream runs models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// Its name: `llama-server`, `mlx`.
    pub name: String,
    /// Which model formats it runs, as the upstream names them.
    pub formats: Vec<String>,
    /// How a tree shows that it has this engine: every entry must hold.
    pub present: Vec<TreeFact>,
    /// Globs of paths that only this engine's code lives under.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Globs of paths under `paths` that other engines use too.
    #[serde(default)]
    pub shared: Vec<String>,
    /// Pins that only this engine uses.
    #[serde(default)]
    pub pins: Vec<String>,
    /// Conditions in code that only this engine's models meet: a change within one is
    /// this engine's, whatever the path.
    #[serde(default)]
    pub guards: Vec<Guard>,
}

/// Something that a tree either shows or does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TreeFact {
    /// A path in the tree.
    pub path: String,
    /// A regular expression that the file holds; without one, that it exists.
    #[serde(default)]
    pub contains: Option<String>,
}

/// A condition in the source that only one engine's models meet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Guard {
    /// Globs of the files in which the condition means this.
    pub paths: Vec<String>,
    /// A regular expression for the line that opens the guarded block.
    pub opens: String,
    /// Why only that engine's models get there, in a sentence.
    pub why: String,
}

/// Files that hold code for one model family.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FamilyPath {
    /// A regular expression over the path whose group `family` names it.
    pub path: String,
    /// The family, where the path does not spell it.
    #[serde(default)]
    pub family: Option<String>,
    /// Names that the group finds and that are no family: registries, shared helpers.
    #[serde(default)]
    pub except: Vec<String>,
    /// What that code does with the family's models (`renders prompts`, `parses output`,
    /// `builds the graph`).
    pub role: String,
}
