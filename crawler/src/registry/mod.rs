//! Models: a registry's manifests and blobs, the library's pages (only to discover
//! names), the local models folder, and a local server.
//!
//! Bytes are kept as they came, and only where their sha256 is the one that they are
//! named by.

mod challenge;
mod crawl;
mod error;
mod fetch;
mod folder;
mod installed;
mod library;
mod manifest;
mod server;

pub use crawl::{ModelChange, ModelOutcome, crawl_models};
pub use error::RegistryError;
pub use installed::{InstalledSummary, crawl_installed};
pub use library::Library;
pub use manifest::{FormatError, config, layers, params};
pub use server::{server_version, shown_params};
