//! Git histories: the user's clone, which is never written to, and repositories on hosts.

mod clone;
mod crawl;
mod partial;
mod patch_id;
pub(crate) mod record;
pub(crate) mod remote;
mod revision;
mod stream;
mod walk;
mod whole;
pub(crate) mod window;

pub use clone::Clone;
pub use crawl::{CrawlScope, CrawlSummary, GitCrawl, crawl_clone, crawl_whole};
pub use remote::Remote;
pub use revision::resolve;
pub use whole::WholeClone;
pub use window::WindowCrawl;
