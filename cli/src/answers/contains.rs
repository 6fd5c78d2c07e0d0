//! Is a change in a release?

use anyhow::bail;
use headwater_queries::shipping::{self, ContainsAnswer, Target};
use headwater_queries::window::tag_names;
use headwater_store::Store;

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
    let release = live::release(upstream, &tags, release, &|| {
        bail!("which version is installed is not asked here; `ollama --version` tells: name it")
    })?;
    Ok(shipping::contains(store, &context.upstreams, upstream, &release, &target)?)
}
