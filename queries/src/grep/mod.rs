//! Exact search: the changed lines of history, commit messages, or a tree at a revision.

mod answer;
mod candidates;
mod explain;
mod messages;
mod request;
mod run;
mod scope;
mod tree;
mod verify;

pub use answer::{CommitHits, GrepAnswer, LineHit, ScopeCoverage};
pub use explain::Explanation;
pub use request::{Filter, GrepRequest, Within};
pub use run::{commits, grep};
pub use tree::{FileAt, TreeAnswer, TreeHit, file_at, grep_tree};
