//! Answers computed from a store: first what is derived (places, labels, default events),
//! then the questions themselves. It knows no network and writes no SQL.
//!
//! ```text
//! headwater-crawler ──▶ headwater-store ◀── headwater-queries      (this crate)
//!                       records, receipts   rules, answers
//! ```
//!
//! # Where to begin
//!
//! | question | function | answer |
//! | --- | --- | --- |
//! | why did this version window change? | [`why::why()`] | [`why::WhyReport`] |
//! | which defaults moved, what is a knob at a version? | [`defaults::ask()`] | [`defaults::DefaultsAnswer`] |
//! | where in history is this pattern? | [`grep::grep()`], [`grep::grep_tree()`] | [`grep::CommitHits`] and what was searched |
//! | where was something like it? | [`search::search()`] | [`search::SearchAnswer`] |
//! | what does a model really run with? | [`models::effective()`] | [`models::EffectiveRow`] |
//! | which models does a changed default reach? | [`models::effects()`] | [`models::EffectsAnswer`] |
//! | which version does a release pin? | [`pins::pins()`] | [`pins::PinRow`] |
//! | is a change in a release? how far behind is it? | [`shipping::contains()`], [`shipping::lag()`] | [`shipping::ContainsAnswer`], [`shipping::Lag`] |
//! | what moved in a week? | [`digest::digest()`] | [`digest::Digest`] |
//! | what is this commit? | [`show::show()`] | [`show::Shown`] |
//! | what is it about, by which rule? | [`derive::labels::label_one()`], [`classify`] | [`headwater_store::model::Label`] |
//! | what to measure, and what did it show? | [`measure::plan()`], [`measure::record()`] | [`measure::Plan`], [`measure::Speed`] |
//! | does what was told still hold? | [`reports::recheck()`] | [`reports::Recheck`] |
//! | is the store sound? | [`doctor::examine()`] | [`doctor::Diagnosis`] |
//!
//! A question needs a store that a crawl filled, and what is derived of it:
//! [`derive::all()`] once after each crawl. The rules are data ([`why::Rules::built_in`]; a
//! folder's files beside them: [`classify::RuleTexts::with_dir`],
//! [`ledger::Extractors::with_folder`]). Every answer is a struct that serializes to the
//! JSON which the command line prints, and that derives [`schemars::JsonSchema`].
//!
//! # Why did it change?
//!
//! ```
//! use headwater_crawler::git::{CrawlScope, GitCrawl, crawl_clone};
//! use headwater_crawler::progress::Silent;
//! use headwater_queries::derive::{self, labels::Sources};
//! use headwater_queries::why::{AsOf, Rules, Verdict, WhyQuestion, why};
//! use headwater_queries::window::WindowSpec;
//! use headwater_store::{Store, upstream::Upstreams};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let dir = tempfile::tempdir()?;
//! // Two clones; these are miniatures of our own.
//! let demo = headwater_demo::build(dir.path())?;
//!
//! let mut store = Store::open_or_create(&dir.path().join("store"))?;
//! let upstreams = Upstreams::built_in()?;
//! let rules = Rules::built_in()?;
//! for (name, clone) in [("ollama", &demo.ollama), ("llama.cpp", &demo.llama_cpp)] {
//!     let upstream = upstreams.get(name)?;
//!     let crawl = GitCrawl { upstream, dir: clone.path(), scope: CrawlScope::Whole, jobs: 1 };
//!     crawl_clone(&mut store, &crawl, &Silent)?;
//!     let sources = Sources { rules: &rules.classes, extractors: &rules.extractors };
//!     derive::all(&mut store, upstream, &sources, 1, &mut |_stage| {})?;
//! }
//!
//! let report = why(
//!     &store,
//!     &upstreams,
//!     &rules,
//!     &WhyQuestion {
//!         upstream: "ollama".to_owned(),
//!         window: WindowSpec::parse("v0.6.0..v0.6.2")?,
//!         symptom: None,
//!         backend: Some("cuda".to_owned()),
//!         model: Some("gemma4:26b".to_owned()),
//!         phase: None,
//!         kind: None,
//!         installed: None,
//!         as_of: AsOf::Now,
//!         jobs: 1,
//!     },
//! )?;
//! // The window as git counts it, and the llama.cpp window that its pin opens.
//! assert_eq!((report.window.commits, report.window.already_shipped), (19, 1));
//! assert_eq!(report.nested[0].pin_head.as_deref(), Some("b34"));
//! // The best explanation first, with what speaks for it.
//! let first = &report.candidates[0];
//! assert_eq!(first.verdict, Verdict::Candidate);
//! assert_eq!(Some(first.sha.to_string().as_str()), demo.ollama.sha(headwater_demo::ollama::names::PENALTY));
//! assert!(report.default_events.iter().any(|event| event.knob == "repeat_penalty"));
//! # Ok(())
//! # }
//! ```

pub mod abi;
pub mod brief;
pub mod classify;
pub mod defaults;
pub mod derive;
pub mod digest;
pub mod doctor;
mod error;
pub mod grep;
pub mod ledger;
mod meant;
pub mod measure;
pub mod models;
mod names;
pub mod pins;
pub mod public;
pub mod rank;
pub mod reads;
pub mod reports;
pub mod rig;
pub mod said;
pub mod search;
pub mod shipping;
pub mod show;
pub mod why;
pub mod window;

pub use error::QueryError;
