//! Ranked full text over the records: for finding, never for absence.
//!
//! One document stands for one commit: its message, its author, the paths that it changes,
//! and each distinct word of its added and removed lines. The texts themselves are not in
//! the index; who shows them reads the records.

mod directory;
mod document;
mod index;
mod manifest;
mod query;
mod tokens;

pub use index::{Field, SearchIndex};
pub use query::{Clause, Found};
pub use tokens::{Cutter, Kind, Token};

pub(crate) use document::Reader;
pub(crate) use index::{Additions, clear};
