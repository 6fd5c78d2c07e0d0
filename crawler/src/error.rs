//! What can go wrong in a crawl.

use std::path::PathBuf;

use headwater_store::StoreError;
use headwater_store::git::GitError;

use crate::github::GitHubError;

/// An error of a crawl. What was stored before it stays stored.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// The directory is no git repository.
    #[error("{dir} is not a git repository ({why}); give a clone of {upstream}, bare or not")]
    NotARepository {
        /// The directory.
        dir: PathBuf,
        /// The upstream it should be of.
        upstream: String,
        /// What git said.
        why: String,
    },
    /// The clone has no such branch.
    #[error(
        "the clone {dir} has no branch {branch}; fetch it there; it is the default branch that the upstream's file names"
    )]
    NoBranch {
        /// The clone.
        dir: PathBuf,
        /// The branch.
        branch: String,
    },
    /// A clone of something else.
    #[error(
        "{dir} shares no commit with what is stored of {upstream}; it is no clone of {repository} (a shallow one must be deepened first), and nothing of it was stored"
    )]
    OtherHistory {
        /// The clone.
        dir: PathBuf,
        /// The upstream.
        upstream: String,
        /// Where the upstream lives.
        repository: String,
    },
    /// A window's end is not in the clone.
    #[error("{name:?} is not in the clone {dir}{nearest}")]
    NoRevision {
        /// The clone.
        dir: PathBuf,
        /// What was asked for.
        name: String,
        /// The nearest names, or nothing; starts with a separator.
        nearest: String,
    },
    /// A repository on a host could not be read.
    #[error(
        "cannot {what} of {url}: {why}; what was stored before is kept, and the next run goes on from there"
    )]
    Remote {
        /// The repository's URL.
        url: String,
        /// What was tried.
        what: &'static str,
        /// What git said.
        why: String,
    },
    /// A window's end that upstream does not have.
    #[error("{upstream} has no {name:?}{nearest}")]
    NoSuchRef {
        /// The upstream.
        upstream: String,
        /// What was asked for.
        name: String,
        /// The nearest names, or nothing; starts with a separator.
        nearest: String,
    },
    /// The ends of a window have nothing in common.
    #[error(
        "{base} and {head} of {upstream} share no history that could be fetched; `headwater clone {upstream}` takes all of it"
    )]
    NoCommonHistory {
        /// The upstream.
        upstream: String,
        /// The older end.
        base: String,
        /// The newer end.
        head: String,
    },
    /// The stream of patches could not be read.
    #[error("git's patches cannot be read: {0}")]
    Stream(String),
    /// A thread of the crawl died.
    #[error("a part of the crawl died; what was stored is kept, run it again")]
    Died,
    /// GitHub's API or one of its other hosts wants to be left alone, and says how long.
    #[error(transparent)]
    Told(GitHubError),
    /// GitHub's API or one of its other hosts gave no answer.
    #[error("{0}; what came before is kept, and the next run goes on from there")]
    GitHub(GitHubError),
    /// A transport that brings windows alone was asked for all of history.
    #[error(
        "GitHub's API gives windows, and not all of a history; `headwater clone {0}` takes it by git, `headwater crawl {0} --from-git DIR` from a clone"
    )]
    WindowsOnly(String),
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl CrawlError {
    /// Whether nobody answered at all: there may be no network.
    pub fn is_unreachable(&self) -> bool {
        match self {
            CrawlError::GitHub(error) | CrawlError::Told(error) => error.is_unreachable(),
            CrawlError::Remote { why, .. } => NO_ANSWER.iter().any(|words| why.contains(words)),
            _ => false,
        }
    }
}

/// What git says where a host is not reached, in any of its versions.
const NO_ANSWER: [&str; 6] = [
    "Could not resolve",
    "Failed to connect",
    "Couldn't connect",
    "Could not connect",
    "Connection timed out",
    "unreachable",
];

impl From<GitHubError> for CrawlError {
    fn from(error: GitHubError) -> Self {
        match error {
            GitHubError::Store(error) => CrawlError::Store(error),
            error @ (GitHubError::Limited { .. }
            | GitHubError::Wait { .. }
            | GitHubError::BadToken { .. }) => CrawlError::Told(error),
            error => CrawlError::GitHub(error),
        }
    }
}
