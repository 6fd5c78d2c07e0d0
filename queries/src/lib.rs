//! Answers computed from a store: what commits are about, which defaults they moved,
//! and all that follows from it.

pub mod classify;
pub mod ledger;
