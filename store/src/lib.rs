//! The knowledge store of headwater: records and receipts in SQLite, object
//! stores beside it, and the search indexes that are derived from both.
//!
//! It knows no network and no rules.

mod db;
mod digest;
mod error;
pub mod evidence;
pub mod exact;
pub mod git;
pub mod graph;
pub mod model;
mod model_name;
pub mod objects;
mod oid;
pub mod pack;
pub mod progress;
pub mod rig;
pub mod search;
pub mod upstream;
pub mod words;

pub use db::{
    CommitId, Comparison, CrawlRecord, DefaultEventRow, Derivation, DigestRun, ExactUpdate,
    IndexState, ListedCommit, Look, MODELS, Markup, Measured, ModelFacts, ModelLayer, ModelPlace,
    ModelReading, ModelSeen, ModelTransport, ModelVersion, NameRow, NewChange, NewCommit,
    NewDefaultEvents, NewModelVersion, NewObservation, NewReceipt, NewReport, NewStatement,
    Observation, ObservedInput, ObservedWindow, Place, RankingRow, ReportCheck, Rows, Run,
    SavedReport, Scope, SearchUpdate, Seen, Snapshot, Statement, StatementKind, Store,
    StoredCommit, StoredPatch, StoredReading, TermCounts, Toggle, UpstreamId, UpstreamStatus,
    WriteCaches, Writer, same_value,
};
pub use digest::{Digest, NotADigest};
pub use error::StoreError;
pub use model_name::{ModelName, NotAModelName};
pub use oid::{NotAnOid, Oid};
