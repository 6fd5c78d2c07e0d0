//! What else there is to try where a host gave nothing.

use headwater_crawler::CrawlError;
use headwater_store::upstream::Upstream;

use super::{Live, Via};

impl Live<'_> {
    /// An error with the other ways to try: where git's own did not work, and where nobody
    /// answered.
    pub(super) fn hinted(&self, upstream: &Upstream, error: anyhow::Error) -> anyhow::Error {
        let Some(told) = error.downcast_ref::<CrawlError>() else { return error };
        let mut hints = Vec::new();
        if matches!(told, CrawlError::Remote { .. }) && self.via == Via::Git {
            hints.push("where git's protocol is closed, --via api brings the same".to_owned());
        }
        if told.is_unreachable() {
            hints.push(without_network(&upstream.name));
        }
        match hints.is_empty() {
            true => error,
            false => anyhow::anyhow!("{error:#}; {}", hints.join("; ")),
        }
    }
}

/// What there is to do without a network.
pub fn without_network(upstream: &str) -> String {
    format!(
        "without a network, `headwater crawl {upstream} --from-git DIR` reads a clone that you have, and `headwater why {upstream} WINDOW --offline` answers from what is stored"
    )
}
