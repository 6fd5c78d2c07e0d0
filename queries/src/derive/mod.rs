//! What is derived from the records and kept: the only writer of derived tables.

pub mod default_events;
pub mod labels;
pub mod places;
pub mod ranking;
pub(crate) mod tree_tables;
