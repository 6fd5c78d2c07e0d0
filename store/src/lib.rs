//! The knowledge store of headwater: records and receipts in SQLite, object
//! stores beside it, and the search indexes that are derived from both.
//!
//! It knows no network and no rules. What an upstream has comes in by `headwater-crawler`;
//! what it means is answered by `headwater-queries`; both depend on this crate, and it on
//! neither.
//!
//! # Where to begin
//!
//! | what | where |
//! | --- | --- |
//! | open a store, read what it holds | [`Store::open`], [`Store::open_read_only`], [`Store::status`] |
//! | which repositories are tracked | [`upstream::Upstreams`], declared in TOML |
//! | a commit, its patch, its twins | [`Store::commit`], [`Store::patch`], [`Store::twins`] |
//! | tags, branches, who is whose ancestor | [`Store::tags`], [`Store::branch`], [`Store::graph`] |
//! | a file at a version | [`Store::objects`], then [`objects::ObjectReader::file`] |
//! | how a record was obtained | [`Store::receipt`] gives an [`evidence::Receipt`] |
//! | what is stored of what there is, with each gap | [`Store::coverage`] gives an [`evidence::Coverage`] |
//! | a claim, and the grade that follows from what is under it | [`evidence::Claim`], [`evidence::Absence`], [`evidence::Grade`] |
//! | the exact index and the full text | [`exact`], [`search`] |
//! | write records, in one transaction | [`Store::writer`] gives a [`Writer`] |
//!
//! # A record and what proves it
//!
//! ```
//! use headwater_crawler::git::{CrawlScope, GitCrawl, crawl_clone};
//! use headwater_crawler::progress::Silent;
//! use headwater_store::{Store, upstream::Upstreams};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let dir = tempfile::tempdir()?;
//! // A clone; this is a miniature of our own.
//! let demo = headwater_demo::build(dir.path())?;
//! let upstreams = Upstreams::built_in()?;
//! let ollama = upstreams.get("ollama")?;
//! let mut store = Store::open_or_create(&dir.path().join("store"))?;
//! let crawl =
//!     GitCrawl { upstream: ollama, dir: demo.ollama.path(), scope: CrawlScope::Whole, jobs: 1 };
//! crawl_clone(&mut store, &crawl, &Silent)?;
//!
//! let id = store.upstream("ollama")?;
//! let tag = store.tag(id, "v0.6.2")?.ok_or("no such tag")?;
//! let commit = store.commit(id, tag.commit)?.ok_or("not stored")?;
//! let receipt = store.receipt(commit.receipt_id())?;
//! assert_eq!(receipt.transport(), "git");
//!
//! // A file of that version, by object ids alone.
//! let mut reader = store.objects("ollama")?.reader();
//! let pin = reader.file(commit.commit().tree, "LLAMA_CPP_VERSION")?;
//! assert_eq!(pin.as_deref(), Some(b"b34\n".as_slice()));
//! # Ok(())
//! # }
//! ```

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
    CommitId, Comparison, Content, CrawlRecord, DefaultEventRow, Derivation, DigestRun,
    ExactUpdate, Held, IndexState, ListedCommit, Look, Lying, MODELS, Markup, Measured, ModelFacts,
    ModelLayer, ModelPlace, ModelReading, ModelSeen, ModelTransport, ModelVersion, NameRow,
    NewChange, NewCommit, NewDefaultEvents, NewModelVersion, NewObservation, NewReceipt, NewReport,
    NewStatement, Observation, ObservedInput, ObservedWindow, Place, RankingRow, ReportCheck, Rows,
    Run, SavedReport, Scope, SearchUpdate, Seen, Snapshot, Statement, StatementKind, Store,
    StoredCommit, StoredPatch, StoredReading, TermCounts, Toggle, UpstreamId, UpstreamStatus,
    Withdrawn, WriteCaches, Writer, same_value,
};
pub use digest::{Digest, NotADigest};
pub use error::StoreError;
pub use model_name::{ModelName, NotAModelName};
pub use oid::{NotAnOid, Oid};
