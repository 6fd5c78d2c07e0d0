//! The commits of a window.

use headwater_store::upstream::Upstream;
use headwater_store::{Store, StoredCommit};

use super::{WindowSpec, span};
use crate::QueryError;

/// The stored commits of `BASE..HEAD`, newest first.
///
/// # Errors
/// Unknown or reversed ends, and those of the store.
pub fn commits(
    store: &Store,
    upstream: &Upstream,
    spec: &WindowSpec,
) -> Result<Vec<StoredCommit>, QueryError> {
    let span = span(store, upstream, spec)?;
    Ok(store.commits(span.upstream, &span.ids())?)
}
