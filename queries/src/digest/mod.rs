//! What moved upstream in a week, or since a day: defaults first.
//!
//! Its knowledge ends with the time: what came later stands apart, as corrections, so
//! that a closed week's digest is the same whenever it is asked for.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/crawled.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use headwater_queries::derive::labels::Sources;
//! use headwater_queries::digest::{DigestRequest, Period, digest};
//!
//! # let Crawled { mut store, upstreams, rules, dir: _dir } = crawled()?;
//! // `store`, `upstreams` and `rules` as at the top of the crate.
//! let request = DigestRequest {
//!     period: Period::week(Some("2026-W10"), chrono::Utc::now())?,
//!     upstreams: upstreams.iter().collect(),
//!     sources: Sources { rules: &rules.classes, extractors: &rules.extractors },
//!     question: "headwater digest --week 2026-W10".to_owned(),
//!     marks: None,
//!     jobs: 1,
//! };
//! let week = digest(&mut store, &upstreams, &request)?;
//! assert!(week.headline.starts_with("2026-W10"));
//! # Ok(())
//! # }
//! ```

mod absent;
mod chains;
mod gather;
mod headline;
mod moved;
mod part;
mod period;
mod report;

pub use gather::digest;
pub use period::Period;
pub use report::{Correction, DefaultMoved, Digest, Lagging, ModelChanged, PinMoved, Plots, Work};

use headwater_store::Rows;
use headwater_store::upstream::Upstream;

use crate::derive::labels::Sources;

/// Between which rows commits came into the store, by upstream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks {
    /// The newest that were told before.
    pub after: Rows,
    /// The newest that are told.
    pub through: Rows,
}

/// What a digest is asked for.
pub struct DigestRequest<'a> {
    /// The time.
    pub period: Period,
    /// The upstreams.
    pub upstreams: Vec<&'a Upstream>,
    /// The rules that say what commits are about, and those that defaults are read by.
    pub sources: Sources<'a>,
    /// The command that asks it again.
    pub question: String,
    /// Only commits that came into the store between these rows, whatever their dates.
    pub marks: Option<Marks>,
    /// Threads that may work on it.
    pub jobs: usize,
}
