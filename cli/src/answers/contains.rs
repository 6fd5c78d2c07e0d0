//! Is a change in a release?

use headwater_queries::shipping::{self, ContainsAnswer, Target};
use headwater_queries::window::tag_names;
use headwater_store::Store;

use super::why::NotAsked;
use crate::context::Context;
use crate::live;

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
    let tags = tag_names(store, upstream)?;
    let release = live::release(upstream, &tags, release, &|| Err(NotAsked.into()))?;
    Ok(shipping::contains(store, &context.upstreams, upstream, &release, &target)?)
}
