//! Lag, for every door alike.

use headwater_queries::shipping::{self, Lag};
use headwater_store::Store;
use headwater_store::upstream::Upstream;

use crate::context::Context;

/// How far behind what they pin the newest `most` final releases are.
pub fn ask(
    context: &Context,
    store: &Store,
    upstream: &Upstream,
    most: usize,
) -> anyhow::Result<Lag> {
    let labelling = context.labelling()?;
    Ok(shipping::lag(store, &context.upstreams, upstream, most, None, Some(labelling.sources()))?)
}
