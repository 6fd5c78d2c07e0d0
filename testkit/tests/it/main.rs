//! The miniature hosts answer as the real ones are documented to.

// The lint's exception for tests does not reach helpers outside `#[test]` functions.
#![allow(clippy::unwrap_used)]

mod client;
mod faults;
mod git;
mod github;
mod ollama;
mod openapi;
