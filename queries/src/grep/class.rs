//! Classes as a filter: only labels that are up to date can answer.

use headwater_store::Store;
use headwater_store::upstream::Upstream;

use crate::QueryError;
use crate::derive::labels::{Sources, is_current};

/// Makes sure that the labels of these upstreams can answer a question for a class.
///
/// # Errors
/// Where commits are not labelled, or by other rules, and where no commit has the class:
/// each says what to do.
pub fn require_class(
    store: &Store,
    upstreams: &[&Upstream],
    sources: Sources<'_>,
    class: &str,
) -> Result<(), QueryError> {
    let mut known: Vec<String> = Vec::new();
    for upstream in upstreams {
        if !is_current(store, &upstream.name, sources)? {
            return Err(QueryError::NotLabelled { upstream: upstream.name.clone() });
        }
        let counts = store.label_counts(store.upstream(&upstream.name)?)?;
        known.extend(counts.into_iter().map(|(name, _)| name));
    }
    if known.iter().any(|name| name == class) {
        return Ok(());
    }
    known.sort();
    known.dedup();
    Err(QueryError::NoClass { class: class.to_owned(), known: known.join(", ") })
}
