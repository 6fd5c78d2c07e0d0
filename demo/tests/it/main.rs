//! The miniatures are what they claim to be.

// The lint's exception for tests does not reach helpers outside `#[test]` functions.
#![allow(clippy::unwrap_used)]

mod shape;
mod story;
