//! The records that a crawl brings and a store keeps.

mod change;
mod commit;
mod label;
mod tag;

pub use change::{ChangeStatus, FileChange, Hunk, Line, Side, hunk_header};
pub use commit::{Commit, CommitPatch, Person, pull_request_in};
pub use label::{Label, LineRef};
pub use tag::{Tag, TagObservation};
