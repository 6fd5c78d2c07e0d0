//! Answers computed from a store: derived tables first, then questions over them.
//!
//! It knows no network and no SQL.

pub mod ledger;
