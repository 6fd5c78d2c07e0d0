//! Answers computed from a store.

pub mod rank;
