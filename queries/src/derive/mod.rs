//! What is derived from the records and kept: the only writer of derived tables.

pub mod default_events;
pub mod labels;
pub mod places;
pub mod ranking;
pub(crate) mod tree_tables;

use headwater_store::Store;
use headwater_store::upstream::Upstream;

use self::labels::Sources;
use crate::QueryError;

/// Derives all that depends on an upstream's records, and brings the indexes up to date:
/// what a question needs after a crawl. Only what is new is done. `begins` is told of each
/// stage, by its name.
///
/// # Errors
/// Those of the store, and where files are gone that are needed.
pub fn all(
    store: &mut Store,
    upstream: &Upstream,
    sources: &Sources<'_>,
    jobs: usize,
    begins: &mut dyn FnMut(&'static str),
) -> Result<(), QueryError> {
    begins("places and tags");
    places::derive(store, upstream)?;
    begins("default events");
    default_events::derive(store, upstream, sources.extractors, jobs)?;
    begins("exact index");
    store.update_exact(jobs)?;
    // Those of other upstreams too: they count what came since.
    for (id, _) in store.upstream_names()? {
        store.commit_list(id)?;
    }
    begins("labels");
    labels::derive(store, upstream, sources, jobs)?;
    begins("ranking");
    ranking::derive(store, &upstream.name, jobs)?;
    begins("full-text index");
    store.update_search(jobs)?;
    Ok(())
}
