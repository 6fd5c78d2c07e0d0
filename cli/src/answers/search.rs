//! Ranked full text.

use std::io::Write as _;

use headwater_queries::search::{SearchAnswer, SearchRequest, search};
use headwater_store::Store;

use crate::commands::filter::FilterArgs;
use crate::context::Context;

/// Asks it; an index that lags behind is brought up to date first.
pub fn ask(
    context: &Context,
    store: &Store,
    filter: &FilterArgs,
    request: &SearchRequest<'_>,
) -> anyhow::Result<SearchAnswer> {
    filter.require_class(context, store, &request.upstreams)?;
    if store.current_search()?.is_none() {
        let mut stderr = anstream::stderr();
        writeln!(stderr, "the full-text index is not up to date: bringing it there first")?;
    }
    Ok(search(store, request)?)
}
