//! The exact index: every run of word characters and of marks in the changed lines of
//! history, with the rows that hold it.

mod build;
mod class;
mod dictionary;
mod facts;
mod index;
mod lines;
mod merge;
mod pattern;
mod plan;
mod rows;
mod scan;
mod search;
mod segment;
mod varint;

pub use build::Builder;
pub use dictionary::TooLarge;
pub use index::{Index, Lock, extend, lock};
pub use lines::{each_changed, each_line};
pub use merge::merge;
pub use pattern::{Pattern, PatternError, PatternOptions};
pub use plan::{Need, Plan};
pub use rows::RowSet;
pub use search::{Candidates, Lookup};
pub use segment::{Group, Parts, Segment};
