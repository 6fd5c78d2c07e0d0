//! Exact search: the changed lines of history, commit messages, or a tree at a revision.

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
