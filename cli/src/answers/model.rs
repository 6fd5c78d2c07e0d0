//! What a model sets itself, and what a request that sets nothing runs with.

use headwater_queries::models::{self, ModelAnswer};
use headwater_store::{ModelName, Store};

use crate::context::Context;

/// Asks it; at a version of an upstream also what runs in effect.
pub fn ask(
    context: &Context,
    store: &Store,
    name: &str,
    at: Option<(&str, &str)>,
) -> anyhow::Result<ModelAnswer> {
    let name: ModelName = name.parse()?;
    let mut answer = models::model(store, &name)?;
    if let Some((upstream, version)) = at {
        let (extractors, upstreams) = (context.extractors()?, &context.upstreams);
        let upstream = upstreams.get(upstream)?;
        let (rows, at) =
            models::effective(store, upstreams, &extractors, upstream, &name, version)?;
        (answer.effective, answer.at) = (rows, Some(at));
    }
    Ok(answer)
}
