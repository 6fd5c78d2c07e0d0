//! Exact search: the changed lines of history, commit messages, or a tree at a revision.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/crawled.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use headwater_queries::grep::{Detail, GrepRequest, grep, grep_tree};
//!
//! # let Crawled { store, upstreams, rules: _rules, dir: _dir } = crawled()?;
//! // `store` and `upstreams` as at the top of the crate.
//! let ollama = upstreams.get("ollama")?;
//! let request = |pattern: &str| GrepRequest {
//!     patterns: vec![pattern.to_owned()],
//!     options: Default::default(),
//!     upstreams: vec![ollama],
//!     filter: Default::default(),
//!     within: Default::default(),
//!     occurrences: false,
//!     context: 0,
//!     most: None,
//!     detail: Detail::Lines,
//!     jobs: 1,
//! };
//! let (found, answer) = grep(&store, &request(r"RepeatPenalty:\s+1\.[01]"))?;
//! assert!(found.iter().any(|commit| commit.lines.iter().any(|line| line.text.contains("1.0"))));
//! // Nothing found proves something only where all was searched: the grade says so.
//! let (none, answer_of_none) = grep(&store, &request("NoSuchThingAnywhere"))?;
//! assert!(none.is_empty());
//! assert_eq!(answer_of_none.coverage[0].1.grade.as_str(), "grep");
//! assert!(answer_of_none.rederive[0].starts_with("headwater grep"));
//!
//! // The files of one version instead.
//! let tree = grep_tree(&store, &request("RepeatPenalty:"), ollama, "v0.6.2")?;
//! assert_eq!(tree.matches[0].path, "api/types.go");
//! # let _ = answer;
//! # Ok(())
//! # }
//! ```

mod answer;
mod candidates;
mod class;
mod explain;
mod merges;
mod messages;
mod rederive;
mod request;
mod run;
pub(crate) mod scope;
#[cfg(test)]
pub(crate) mod tests;
mod tree;
mod verify;

pub use answer::{CommitHits, GrepAnswer, LineHit, ScopeCoverage};
pub use class::require_class;
pub use explain::Explanation;
pub(crate) use rederive::quote;
pub use request::{Detail, Filter, GrepRequest, Within};
pub use run::{Matching, commits, grep, grep_each};
pub use tree::{FileAt, FileCount, TreeAnswer, TreeHit, file_at, grep_tree};
