//! Ranked full text over what the store holds: for finding, never for absence.

mod answer;
mod parse;
mod run;
mod snippet;
#[cfg(test)]
mod tests;

pub use answer::{Hit, NamedTag, SearchAnswer, Snippet, Where};
pub use run::{SearchRequest, search};
