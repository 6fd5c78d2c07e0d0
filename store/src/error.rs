//! What can go wrong in a store.

use std::path::PathBuf;

use crate::Oid;
use crate::git::GitError;
use crate::upstream::UpstreamError;

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no store at this place.
    #[error(
        "there is no store at {0}; `headwater crawl ollama previous..latest` makes one, `headwater clone ollama` one with all of history"
    )]
    Missing(PathBuf),
    /// The database was written by a newer headwater.
    #[error(
        "the store at {path} has schema {found}, this headwater knows {known}; use a newer headwater"
    )]
    Newer {
        /// The store's directory.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// The newest schema known.
        known: u32,
    },
    /// A schema from before this version, in a store that may only be read.
    #[error(
        "the store at {path} is of an older headwater; any command that may write it, like `headwater status`, brings it up to date"
    )]
    Older {
        /// The store's directory.
        path: PathBuf,
    },
    /// SQLite said no.
    #[error("the store's database: {0}; `headwater doctor` looks for damage")]
    Sqlite(rusqlite::Error),
    /// Something would have to be written, in a store that may only be read.
    #[error(
        "this store cannot be written: its directory, or a file in it, may only be read; run this as a user who may write there, or copy the directory and name the copy with --store DIR"
    )]
    Unwritable,
    /// A store that may only be read, with records that SQLite has not taken into its
    /// database yet.
    #[error(
        "the newest records of the store at {path} lie in its headwater.db-wal, and cannot be read without writing beside it ({why}); let a user who may write there run `headwater status`, or copy the directory and name the copy with --store DIR"
    )]
    UnreadLog {
        /// The store's directory.
        path: PathBuf,
        /// What SQLite said.
        why: String,
    },
    /// Something would have to be derived first, in a store that may only be read.
    #[error(
        "what is derived from the records is not up to date; `headwater rebuild` brings it there, run by a user who may write the store"
    )]
    Stale,
    /// Nobody waits for the answer any more.
    #[error("the question was given up before it was answered")]
    GivenUp,
    /// The database is none.
    #[error(
        "what lies at {0} is no store: its headwater.db is not a database; move it away, and crawl anew or take --store DIR"
    )]
    NoDatabase(PathBuf),
    /// A file of the store could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A row holds what no headwater writes.
    #[error("the store is damaged: {0}; `headwater doctor` tells more")]
    Damaged(String),
    /// Nothing was crawled for this upstream.
    #[error(
        "nothing is stored for {0}; get a window with `headwater crawl {0} BASE..HEAD`, or all of history with `headwater clone {0}`"
    )]
    NotCrawled(String),
    /// An object that an answer needs is in no reachable object store.
    #[error(
        "object {oid} of {upstream} is not in the object store{why}; `headwater clone {upstream}` takes all of history with its files"
    )]
    NoObject {
        /// The upstream.
        upstream: String,
        /// The object.
        oid: Oid,
        /// Why, where it is known; starts with a separator.
        why: String,
    },
    /// The full-text index could not be read or written.
    #[error("the full-text index: {0}; `headwater rebuild search` makes it anew")]
    Search(String),
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// An upstream file is not right.
    #[error(transparent)]
    Upstream(#[from] UpstreamError),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        // Nothing else interrupts a statement here.
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::OperationInterrupted) => StoreError::GivenUp,
            Some(rusqlite::ErrorCode::ReadOnly) => StoreError::Unwritable,
            _ => StoreError::Sqlite(error),
        }
    }
}

impl From<tantivy::TantivyError> for StoreError {
    fn from(error: tantivy::TantivyError) -> Self {
        StoreError::Search(error.to_string())
    }
}

impl StoreError {
    /// Wraps an error of the file system with the path it is about.
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| StoreError::Io { path, source }
    }

    /// What is told where the error is only that something derived could not be written.
    pub(crate) fn into_stale(self) -> Self {
        use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        match self {
            StoreError::Unwritable => StoreError::Stale,
            StoreError::Io { source, .. }
                if matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem) =>
            {
                StoreError::Stale
            }
            other => other,
        }
    }
}
