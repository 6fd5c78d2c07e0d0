//! Crawling a git clone, which is never written to.

mod clone;
mod crawl;
mod patch_id;
mod stream;
mod walk;

pub use clone::Clone;
pub use crawl::{CrawlScope, CrawlSummary, GitCrawl, crawl_clone};
