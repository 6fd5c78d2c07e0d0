//! What a release holds of what it pins: whether a change is in it, and how far behind it
//! is.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/crawled.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use headwater_queries::shipping::{Target, contains};
//!
//! # let Crawled { store, upstreams, rules: _rules, dir: _dir } = crawled()?;
//! // `store` and `upstreams` as at the top of the crate: a llama.cpp pull request in an Ollama
//! // release, through its pin.
//! let ollama = upstreams.get("ollama")?;
//! let target = Target::parse("llama.cpp#31")?;
//! assert!(contains(&store, &upstreams, ollama, "v0.6.2", &target)?.contained);
//! assert!(!contains(&store, &upstreams, ollama, "v0.6.0", &target)?.contained);
//! # Ok(())
//! # }
//! ```

mod contains;
mod lag;

pub use contains::{Contained, ContainsAnswer, Target, contains};
pub use lag::{Lag, LagRow, Unshipped, lag};
