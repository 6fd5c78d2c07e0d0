//! Git histories: the user's clone, which is never written to, and repositories on hosts.

mod clone;
mod crawl;
mod patch_id;
mod record;
mod remote;
mod revision;
mod stream;
mod walk;
mod whole;
mod window;

pub use clone::Clone;
pub use crawl::{CrawlScope, CrawlSummary, GitCrawl, crawl_clone};
pub use remote::{Remote, RemoteRefs};
pub use revision::resolve;
pub use whole::clone_whole;
pub use window::WindowCrawl;
