//! What can go wrong with models.

use std::path::PathBuf;

use headwater_store::{Digest, StoreError};

use super::FormatError;
use crate::http::HttpError;

/// An error of a crawl of models. Nothing of the model that it names was stored by it.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// The host could not be asked.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// No such model, or no such tag of it.
    #[error("{registry} has no model {name}; `ollama show` and the library's pages list tags")]
    NotFound {
        /// The registry.
        registry: String,
        /// The name.
        name: String,
    },
    /// The registry wants a newer client.
    #[error("the registry refuses {name}: {said}")]
    Refused {
        /// The name.
        name: String,
        /// What it says: a stranger's text.
        said: String,
    },
    /// The bytes are not those that their name promises.
    #[error(
        "the {what} of {name} has {got}, but {wanted} was promised: refused, not stored ({source_of})"
    )]
    Mismatch {
        /// `manifest`, `params` …
        what: String,
        /// The model.
        name: String,
        /// Where the bytes came from.
        source_of: String,
        /// The digest that was promised.
        wanted: Box<Digest>,
        /// The digest of what came.
        got: Box<Digest>,
    },
    /// The bytes are not of the form that they should have.
    #[error("the {what} of {name} cannot be read: {why}; refused, not stored")]
    Format {
        /// `manifest`, `params` …
        what: String,
        /// The model.
        name: String,
        /// Why.
        why: FormatError,
    },
    /// A page on which nothing was found: its markup has changed, or it is no such page.
    #[error(
        "{url} shows no {what}, so its markup may have changed (this is never read as \"none\"); name models yourself, like `headwater crawl models gemma4:26b`"
    )]
    NoRows {
        /// The page.
        url: String,
        /// `models` or `tags`.
        what: &'static str,
    },
    /// Neither a folder nor a server.
    #[error(
        "no installed models: there is no models folder at {folder} (OLLAMA_MODELS names another), and {server}"
    )]
    NothingInstalled {
        /// The folder.
        folder: PathBuf,
        /// What came of asking the server.
        server: String,
    },
    /// A file that a manifest names is not there, or cannot be read.
    #[error("the {what} of {name} cannot be read: {source}")]
    Io {
        /// `manifest`, `params` …
        what: String,
        /// The model.
        name: String,
        /// Why.
        source: std::io::Error,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RegistryError {
    /// Whether asking for the next model makes no sense either.
    pub fn is_final(&self) -> bool {
        matches!(
            self,
            RegistryError::Http(HttpError::Unreachable { .. } | HttpError::Setup(_))
                | RegistryError::Store(_)
        )
    }
}
