//! What can go wrong with GitHub's API.

use chrono::{DateTime, Utc};
use headwater_store::StoreError;

use crate::http::HttpError;

/// Why GitHub's API gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum GitHubError {
    /// The hourly limit is used up.
    #[error(
        "GitHub's limit of {limit} requests an hour is used up until {reset}{hint}; what was stored is kept, go on after that", reset = .reset.format("%Y-%m-%d %H:%M:%S UTC")
    )]
    Limited {
        /// Requests an hour.
        limit: u64,
        /// When it starts anew.
        reset: DateTime<Utc>,
        /// What else helps; starts with a separator.
        hint: &'static str,
    },
    /// A secondary limit: too much at once.
    #[error("GitHub asks to wait {seconds} seconds; what was stored is kept, go on after that")]
    Wait {
        /// For how long.
        seconds: u64,
    },
    /// GitHub does not know the token.
    #[error("GitHub refuses the token from {place}; renew it, or leave it out to ask without one")]
    BadToken {
        /// Where the token is from.
        place: &'static str,
    },
    /// As many requests were made as this run may make.
    #[error("no request to GitHub's API is left for this run (more with a token in GH_TOKEN)")]
    Allowance,
    /// A status that is no answer.
    #[error("{url} answers with status {status}: {message}")]
    Status {
        /// The URL.
        url: String,
        /// The status.
        status: u16,
        /// What GitHub says about it.
        message: String,
    },
    /// What came is no answer to what was asked.
    #[error("{url} did not answer as documented ({why}); nothing of it was stored")]
    Unreadable {
        /// The URL.
        url: String,
        /// What is wrong.
        why: String,
    },
    /// Nothing whole came.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl GitHubError {
    /// Whether nobody answered at all: there may be no network.
    pub const fn is_unreachable(&self) -> bool {
        matches!(self, GitHubError::Http(error) if error.is_unreachable())
    }
}
