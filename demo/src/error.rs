//! What can go wrong while the miniatures are made.

use std::path::PathBuf;

/// A history that contradicts itself, or a git that will not take it.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// A commit edits, renames or merges what is not there.
    #[error("the miniature's commit {commit:?} cannot be made: {why}")]
    History {
        /// The commit's name.
        commit: String,
        /// What does not fit.
        why: String,
    },
    /// A directory or file could not be made.
    #[error("cannot write {path}: {source}")]
    Write {
        /// Where.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Git could not be started.
    #[error("cannot run git {command}: {source} (git 2.30 or later must be on PATH)")]
    Start {
        /// The subcommand.
        command: String,
        /// Why.
        source: std::io::Error,
    },
    /// Git refused.
    #[error("git {command} failed: {message}")]
    Git {
        /// The subcommand.
        command: String,
        /// What it said.
        message: String,
    },
}
