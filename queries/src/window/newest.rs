//! The releases of an upstream, in the order in which they came.

use headwater_store::Store;
use headwater_store::upstream::{Upstream, Version};
use regex::Regex;

use crate::QueryError;

/// The final ones of these tags whose names are versions, oldest version first.
///
/// # Errors
/// Where the upstream's own pattern is not valid.
pub fn finals(upstream: &Upstream, tags: &[String]) -> Result<Vec<String>, QueryError> {
    let is_final =
        Regex::new(&upstream.final_tag).map_err(|error| QueryError::Pattern(error.to_string()))?;
    let mut found: Vec<_> = tags
        .iter()
        .filter(|tag| is_final.is_match(tag))
        .filter_map(|tag| Some((Version::of(upstream, tag)?, tag)))
        .collect();
    found.sort();
    Ok(found.into_iter().map(|(_, tag)| tag.clone()).collect())
}

/// The newest stored release: by version, or by date where an upstream also numbers its
/// builds, which no version orders.
///
/// # Errors
/// Those of the store.
pub fn newest(store: &Store, upstream: &Upstream) -> Result<Option<String>, QueryError> {
    let id = store.upstream(&upstream.name)?;
    let tags = store.tags(id)?;
    if upstream.build_prefix.is_none() {
        let names: Vec<String> = tags.into_iter().map(|tag| tag.name).collect();
        return Ok(finals(upstream, &names)?.pop());
    }
    let is_final =
        Regex::new(&upstream.final_tag).map_err(|error| QueryError::Pattern(error.to_string()))?;
    let graph = store.graph(id)?;
    let dated = tags.into_iter().filter(|tag| is_final.is_match(&tag.name)).filter_map(|tag| {
        let node = graph.node(tag.commit)?;
        Some((graph.committed(node), tag.name))
    });
    Ok(dated.max().map(|(_, name)| name))
}
