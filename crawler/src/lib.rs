//! Everything that talks to an upstream: git clones, and the hosts on the network.
//!
//! It knows no reports. What it brings goes into a [`headwater_store::Store`], each record
//! with its receipt.

mod error;
pub mod git;
pub mod github;
pub mod http;
pub mod registry;
pub mod rig;
pub mod transport;

pub use error::CrawlError;
pub use headwater_store::progress;
