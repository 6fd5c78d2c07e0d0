//! Answers computed from a store: what commits are about, and all that follows from it.

pub mod classify;
