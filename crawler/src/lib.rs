//! Everything that talks to an upstream: git clones, and the hosts on the network.
//!
//! It knows no reports. What it brings goes into a [`headwater_store::Store`], each record
//! with its receipt. It depends on that crate alone; `headwater-queries` answers from the
//! store and knows nothing of this crate.
//!
//! # Where to begin
//!
//! | what | where |
//! | --- | --- |
//! | all of history, or a window, from a clone on disk | [`git::crawl_clone()`] |
//! | all of history from a host, by git's protocol | [`git::crawl_whole()`] with a [`git::WholeClone`] |
//! | a window from a host, by git's protocol or GitHub's API | [`git::WindowCrawl`] with a [`git::Remote`] or a [`github::Rest`] |
//! | what GitHub counts in a window | [`github::compare()`] |
//! | release notes, pull requests, issues, advisories | [`github::Statements`] |
//! | what models publish, and what is installed here | [`registry::crawl_models()`], [`registry::crawl_installed()`] |
//! | what this machine is made of | [`rig`] |
//! | where the hosts are, and how patient to be | [`http::Hosts`], [`http::Client`] |
//! | another way to bring history | implement [`transport::Transport`] |
//!
//! # A crawl
//!
//! ```
//! use headwater_crawler::git::{CrawlScope, GitCrawl, crawl_clone};
//! use headwater_crawler::progress::Silent;
//! use headwater_store::{Store, upstream::Upstreams};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let dir = tempfile::tempdir()?;
//! // A clone, which is never written to; this is a miniature of our own.
//! let mut demo = headwater_demo::build(dir.path())?;
//! let upstreams = Upstreams::built_in()?;
//! let upstream = upstreams.get("ollama")?;
//! let mut store = Store::open_or_create(&dir.path().join("store"))?;
//! let clone = demo.ollama.path().to_owned();
//! let crawl = GitCrawl { upstream, dir: &clone, scope: CrawlScope::Whole, jobs: 1 };
//!
//! let first = crawl_clone(&mut store, &crawl, &Silent)?;
//! assert_eq!((first.new_commits, first.missing), (first.commits, 0));
//!
//! // Upstream goes on; the next crawl brings what is new.
//! demo.ollama.append(|history| {
//!     history.commit("warmer", "api: warmer", |c| {
//!         c.edit("api/types.go", "Temperature:      0.8,", "Temperature:      1.0,");
//!     });
//!     history.branch_here();
//! })?;
//! let next = crawl_clone(&mut store, &crawl, &Silent)?;
//! assert_eq!(next.new_commits, 1);
//! # Ok(())
//! # }
//! ```

mod error;
pub mod git;
pub mod github;
pub mod http;
pub mod registry;
pub mod rig;
pub mod transport;

pub use error::CrawlError;
pub use headwater_store::progress;
