//! Commits and their patches.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::FileChange;
use crate::Oid;

/// An author or committer, as the commit names them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Person {
    /// The name; hostile text like all of a commit.
    pub name: String,
    /// The mail address.
    pub email: String,
}

/// One commit, without its patch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Commit {
    /// Its object id.
    pub oid: Oid,
    /// The object id of its tree.
    pub tree: Oid,
    /// Its parents, first parent first; none for a root.
    pub parents: Vec<Oid>,
    /// Who wrote it.
    pub author: Person,
    /// When it was written.
    pub authored: DateTime<Utc>,
    /// Who committed it.
    pub committer: Person,
    /// When it was committed: the date that reports print and weeks are made of.
    pub committed: DateTime<Utc>,
    /// The whole message, as written by a stranger.
    pub message: String,
}

impl Commit {
    /// The message's first line.
    pub fn subject(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }

    /// The message after its subject, without the blank line between.
    pub fn body(&self) -> &str {
        self.message.split_once('\n').map_or("", |(_, body)| body.trim_start_matches('\n'))
    }

    /// Whether it has more than one parent.
    pub fn is_merge(&self) -> bool {
        self.parents.len() > 1
    }

    /// The pull request's number that its subject ends in, if it does.
    pub fn pull_request(&self) -> Option<u32> {
        pull_request_in(self.subject())
    }
}

/// The number of the pull request that a subject names, as GitHub writes it: a
/// trailing `(#123)` of a squash, or `Merge pull request #123` of a merge.
pub fn pull_request_in(subject: &str) -> Option<u32> {
    let subject = subject.trim_end();
    let digits = match subject.strip_prefix("Merge pull request #") {
        Some(rest) => rest.split(|c: char| !c.is_ascii_digit()).next()?,
        None => subject.strip_suffix(')')?.rsplit_once("(#")?.1,
    };
    digits.parse().ok()
}

/// A commit with its changes: what rules, extractors and rankers read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommitPatch {
    /// The commit.
    pub commit: Commit,
    /// Its changes against the first parent, in git's order.
    pub files: Vec<FileChange>,
}

#[cfg(test)]
mod tests {
    use super::pull_request_in;

    #[test]
    fn finds_the_number_of_squashes_and_merges_only() {
        assert_eq!(pull_request_in("server: fix slot reuse (#26802)"), Some(26802));
        assert_eq!(pull_request_in("Merge pull request #43 from someone/branch"), Some(43));
        assert_eq!(pull_request_in("api: default to 1.0"), None);
        assert_eq!(pull_request_in("reverts (#12) for now"), None);
        assert_eq!(pull_request_in("(#99999999999)"), None);
        assert_eq!(pull_request_in(""), None);
    }
}
