//! The ledger of defaults: which value every knob has in every version, and which
//! commit moved it.
//!
//! Extractors ([`Extractors`], data in `rules/defaults`) say which files hold
//! defaults and what in them holds one. A [`Session`] reads a file's table of knob
//! and value; [`Extractors::events`] compares the tables before and after a commit.
//! What moved, was reordered, realigned or written differently is no event.

mod across;
mod check;
mod compare;
mod cut;
mod engine;
mod entry;
mod guards;
mod kept;
mod lang;
pub(crate) mod lex;
mod only;
mod options;
mod resolve;
mod restore;
mod rules;
mod touch;
mod tree;
mod value;
mod writing;

#[cfg(test)]
mod examples;

pub use across::TreeSide;
pub use check::check_examples;
pub use compare::FileTables;
pub use engine::Session;
pub use entry::{Entry, Event, How, Scope, UnknownScope};
pub(crate) use options::OptionTable;
pub use resolve::{Resolve, ResolveCase, ResolveEvidence};
pub use restore::{RestoreWay, Spellings};
pub use rules::{ExtractorError, Extractors};
pub use value::spelling;
pub(crate) use value::words;

/// Whether two values mean the same, however they are written.
pub(crate) fn same_value(a: &str, b: &str) -> bool {
    value::same(a, b, &[])
}

/// Raised whenever the same rules read the same files differently: derived rows
/// made by another engine are made anew.
const ENGINE_VERSION: u32 = 5;
