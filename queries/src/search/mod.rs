//! Ranked full text over what the store holds: for finding, never for absence.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/crawled.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use headwater_queries::search::{SearchRequest, search};
//!
//! # let Crawled { store, upstreams, rules: _rules, dir: _dir } = crawled()?;
//! // `store` and `upstreams` as at the top of the crate.
//! let request = SearchRequest {
//!     query: "load mode path:common/*".to_owned(),
//!     upstreams: upstreams.iter().collect(),
//!     filter: Default::default(),
//!     limit: 5,
//!     jobs: 1,
//! };
//! let found = search(&store, &request)?;
//! assert!(found.hits.iter().any(|hit| hit.upstream == "llama.cpp"));
//! # Ok(())
//! # }
//! ```

mod answer;
mod parse;
mod run;
mod snippet;
#[cfg(test)]
mod tests;

pub use answer::{Hit, NamedTag, SearchAnswer, Snippet, Where};
pub use run::{SearchRequest, search};
