//! The knowledge store of headwater: records and receipts in SQLite, object
//! stores beside it, and the search indexes that are derived from both.
//!
//! It knows no network and no rules.

pub mod exact;
pub mod model;
mod oid;
pub mod upstream;

pub use oid::{NotAnOid, Oid};
