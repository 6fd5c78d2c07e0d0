//! Is a change in a release?

use headwater_queries::shipping::{self, ContainsAnswer, Target};
use headwater_store::Store;

use crate::context::Context;

/// Asks it.
pub fn ask(
    context: &Context,
    store: &Store,
    upstream: &str,
    release: &str,
    change: &str,
) -> anyhow::Result<ContainsAnswer> {
    let upstream = context.upstreams.get(upstream)?;
    let target = Target::parse(change)?;
    Ok(shipping::contains(store, &context.upstreams, upstream, release, &target)?)
}
