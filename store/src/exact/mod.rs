//! The exact index: every run of word characters and of marks in the changed lines of
//! history, with the rows that hold it.
//!
//! A *row* is one file change. Its changed lines fall into runs (see `class`); a sorted
//! dictionary holds each distinct run once, with the rows that have it. The runs of both
//! upstreams' whole histories are twelve megabytes of text, so a regular expression is
//! simply run over the dictionary: a pattern whose every match lies inside one run, as most
//! do, is answered exactly without reading a single patch. Any other pattern is taken apart
//! (see `plan`) into conditions on runs, and the rows that meet all of them are read. Where
//! no run can be required, all distinct lines are searched (see `whole`). The index may name
//! a row that does not match, where it says so; it never loses one that does.

mod build;
mod class;
mod dictionary;
mod facts;
mod index;
mod lines;
mod merge;
mod pattern;
mod plan;
#[cfg(test)]
mod property;
mod rows;
mod runs;
mod scan;
mod search;
mod segment;
mod shape;
mod varint;
mod whole;

pub use build::Builder;
pub use dictionary::TooLarge;
pub use index::{Index, Lock, extend, lock};
pub use lines::{each_changed, each_line};
pub use merge::merge;
pub use pattern::{Pattern, PatternError, PatternOptions};
pub use plan::{Need, Plan};
pub use rows::RowSet;
pub use search::{Candidates, GivenUp, Lookup, Why};
pub use segment::{Group, Parts, Segment};
