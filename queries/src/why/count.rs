//! How many commits upstream counts in a window, against those that are stored.

use headwater_store::evidence::Gap;
use headwater_store::upstream::Upstream;
use headwater_store::{Comparison, Store, UpstreamId};

use crate::QueryError;

/// What is not certain about a window's count: the host counts otherwise, or nobody has
/// counted. History that was crawled whole counts itself.
pub(super) fn gap(
    store: &Store,
    id: UpstreamId,
    upstream: &Upstream,
    said: Option<&Comparison>,
    stored: [usize; 2],
) -> Result<Option<Gap>, QueryError> {
    let named = |kind: &str, detail: String| {
        Some(Gap { kind: kind.to_owned(), commit: None, path: None, detail })
    };
    let stored = stored.map(|n| n as u64);
    Ok(match said {
        Some(said) if [said.ahead, said.behind] == stored => None,
        Some(said) => named(
            "count-differs",
            format!(
                "upstream's host counts {} commits ahead and {} behind, git's objects say {} and {}",
                said.ahead, said.behind, stored[0], stored[1]
            ),
        ),
        None => {
            let whole = store.last_crawl(id, Some("whole"))?;
            match whole.is_some_and(|crawl| crawl.finished.is_some()) {
                true => None,
                false => named(
                    "count-unknown",
                    format!(
                        "how many commits {} counts in this window was not told",
                        upstream.repository
                    ),
                ),
            }
        }
    })
}
