//! What moved upstream in a week, or since a day: defaults first.
//!
//! Its knowledge ends with the time: what came later stands apart, as corrections, so
//! that a closed week's digest is the same whenever it is asked for.

mod gather;
mod headline;
mod period;
mod report;

pub use gather::digest;
pub use period::Period;
pub use report::{
    Correction, DefaultMoved, Digest, Lagging, ModelChanged, PinMoved, Plots, Work,
};

use headwater_store::upstream::Upstream;

use crate::ledger::Extractors;

/// What a digest is asked for.
pub struct DigestRequest<'a> {
    /// The time.
    pub period: Period,
    /// The upstreams.
    pub upstreams: Vec<&'a Upstream>,
    /// The rules that defaults are read by.
    pub extractors: &'a Extractors,
    /// The command that asks it again.
    pub question: String,
    /// Threads that may work on it.
    pub jobs: usize,
}
