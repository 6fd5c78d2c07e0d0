//! What can go wrong between two machines.

/// Why a request brought nothing.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// Nobody answered.
    #[error("cannot reach {url}: {why}; what is stored still answers")]
    Unreachable {
        /// The URL, without its query.
        url: String,
        /// Why.
        why: String,
    },
    /// The answer took too long.
    #[error("{url} took too long to answer; try again later")]
    Slow {
        /// The URL, without its query.
        url: String,
    },
    /// The answer broke off, or was no HTTP.
    #[error("the answer of {url} broke off: {why}; nothing of it was stored")]
    Broken {
        /// The URL, without its query.
        url: String,
        /// Why.
        why: String,
    },
    /// A status that is no answer to the question.
    #[error("{url} answers with status {status}{after}")]
    Status {
        /// The URL, without its query.
        url: String,
        /// The status.
        status: u16,
        /// When to try again, where the host says; starts with a separator.
        after: String,
    },
    /// More bytes than such an answer can have.
    #[error("the answer of {url} is larger than {limit} bytes; refused, nothing of it was stored")]
    TooLarge {
        /// The URL, without its query.
        url: String,
        /// The most that is read.
        limit: usize,
    },
    /// It sends elsewhere without end, or to where nothing may be fetched from.
    #[error("{url} redirects {how}; refused")]
    Redirect {
        /// The URL, without its query.
        url: String,
        /// What is wrong with it.
        how: String,
    },
    /// A text that is no URL.
    #[error("{url:?} is no address: {why}; give one like https://example.com")]
    Url {
        /// The text.
        url: String,
        /// Why.
        why: String,
    },
    /// The client could not be made.
    #[error("cannot speak HTTP on this machine: {0}")]
    Setup(String),
}

impl HttpError {
    /// Whether nobody answered at all: there may be no network.
    pub const fn is_unreachable(&self) -> bool {
        matches!(self, HttpError::Unreachable { .. })
    }

    /// Whether trying again may help.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            HttpError::Unreachable { .. } | HttpError::Broken { .. } => true,
            HttpError::Status { status, .. } => matches!(status, 429 | 500 | 502 | 503 | 504),
            _ => false,
        }
    }
}
