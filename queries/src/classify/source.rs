//! A rule as it is written: TOML in, checked shape out. docs/rules.md tells how each
//! key is meant.

use serde::Deserialize;

/// A file of rules.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleFile {
    /// The class that the file's rules give, unless a rule names its own.
    #[serde(default)]
    pub class: Option<String>,
    /// Openings of statements that only log or print, by which lines and hunks that do
    /// nothing else are told apart.
    #[serde(default)]
    pub log_calls: Vec<String>,
    /// Openings of blocks that run only where much is to be logged: what stands in one is
    /// logging too.
    #[serde(default)]
    pub log_blocks: Vec<String>,
    /// Statements that tell an error: lines that hold one and differ in texts alone do
    /// the same.
    #[serde(default)]
    pub error_calls: Vec<String>,
    /// Globs of files whose lines do not count where a rule asks for a share of the
    /// commit: tests and documents grow beside the work, and are not it.
    #[serde(default)]
    pub aside: Vec<String>,
    /// The rules.
    #[serde(default)]
    pub rules: Vec<toml::Spanned<RuleSource>>,
}

/// One rule.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleSource {
    /// Its name, `class/subject`, unique among all rules.
    pub id: String,
    /// The class it gives; taken from the file where it is left out.
    #[serde(default)]
    pub class: Option<String>,
    /// What it recognises and why that makes the class, in a sentence or two.
    pub description: String,
    /// The upstreams it is for; empty for every one.
    #[serde(default)]
    pub upstreams: Vec<String>,
    /// Whether the rule only covers the hunks it matches: the class is given when the
    /// covering rules of the class, taken together, cover every change of the commit.
    #[serde(default)]
    pub covers: bool,
    /// The rule fires when one of these holds. For a covering rule: a hunk is covered
    /// when one of these holds for it.
    #[serde(default)]
    pub when: Vec<Clause>,
    /// The rule is silent when one of these holds.
    #[serde(default)]
    pub unless: Vec<Clause>,
    /// Miniature patches on which it must fire.
    #[serde(default)]
    pub must_match: Vec<Example>,
    /// Miniature patches on which it must not fire.
    #[serde(default)]
    pub must_not_match: Vec<Example>,
}

/// Conditions that must all hold.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clause {
    /// Globs: a changed file, before or after, is one of these.
    #[serde(default)]
    pub files: Vec<String>,
    /// Globs: and none of these.
    #[serde(default)]
    pub not_files: Vec<String>,
    /// Git's letter of what happened to the file: `A`, `M`, `D`, `R`, `C`, `T`.
    #[serde(default)]
    pub status: Vec<char>,
    /// A changed line matches.
    #[serde(default)]
    pub line: Option<String>,
    /// An added line matches.
    #[serde(default)]
    pub added: Option<String>,
    /// A removed line matches.
    #[serde(default)]
    pub removed: Option<String>,
    /// The declaration that git prints above the hunk matches.
    #[serde(default)]
    pub section: Option<String>,
    /// Any line of the hunk matches, those that did not change included, or the
    /// declaration above it.
    #[serde(default)]
    pub near: Option<String>,
    /// Every changed line of code in the hunk matches (covering rules).
    #[serde(default)]
    pub every_line: Option<String>,
    /// The hunk changes nothing but these (covering rules): `comments`, `logging`,
    /// `layout`, `names`, `moves`, `declarations`.
    #[serde(default)]
    pub only: Vec<String>,
    /// Whether comments and logging count as lines to be matched too.
    #[serde(default)]
    pub comments: bool,
    /// Lines count only if what matched in them does not stand on the other side of the
    /// hunk too: a word that both sides share is not what changed.
    #[serde(default)]
    pub differs: bool,
    /// Lines count only in declarations that were there before and still are: what comes
    /// with a new function, or goes with an old one, is left out.
    #[serde(default)]
    pub existing: bool,
    /// At least so many lines match (1 if left out).
    #[serde(default)]
    pub at_least: Option<u32>,
    /// What matched is at least this share of the commit's changed lines of code.
    #[serde(default)]
    pub share: Option<f64>,
    /// The subject matches. Weak: never alone.
    #[serde(default)]
    pub subject: Option<String>,
    /// The subject or the text under it matches. Weak: never alone.
    #[serde(default)]
    pub message: Option<String>,
    /// A structural fact of this name is known of the commit.
    #[serde(default)]
    pub fact: Option<String>,
    /// The fact's detail matches.
    #[serde(default)]
    pub fact_detail: Option<String>,
    /// And this does not.
    #[serde(default)]
    pub not_fact_detail: Option<String>,
    /// Further conditions, each of which must hold somewhere in the commit.
    #[serde(default)]
    pub also: Vec<Clause>,
}

impl Clause {
    /// Whether it asks for something in the diff.
    pub fn reads_diff(&self) -> bool {
        !self.files.is_empty()
            || self.line.is_some()
            || self.added.is_some()
            || self.removed.is_some()
            || self.section.is_some()
            || self.near.is_some()
            || self.every_line.is_some()
            || !self.only.is_empty()
            || self.fact.is_some()
    }
}

/// A miniature commit of our own writing.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// What it shows.
    pub shows: String,
    /// Its message.
    #[serde(default)]
    pub message: String,
    /// Its patch: `--- a/path`, `+++ b/path` and `@@` lines as git writes them, the
    /// numbers left out.
    pub patch: String,
    /// Facts that are known of it.
    #[serde(default)]
    pub facts: Vec<ExampleFact>,
}

/// A structural fact given with an example.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExampleFact {
    /// The fact's name.
    pub name: String,
    /// Its detail.
    #[serde(default)]
    pub detail: String,
    /// The file it stands in.
    pub path: String,
}
