//! The releases of an upstream, in the order in which they came.

use headwater_store::Store;
use headwater_store::upstream::{Upstream, Version};
use regex::Regex;

use crate::QueryError;

/// The final ones of these tags, oldest first: versions by their numbers, or builds where
/// none of them names a version.
///
/// # Errors
/// Where the upstream's own pattern is not valid.
pub fn finals(upstream: &Upstream, tags: &[String]) -> Result<Vec<String>, QueryError> {
    let is_final =
        Regex::new(&upstream.final_tag).map_err(|error| QueryError::Pattern(error.to_string()))?;
    let all: Vec<&String> = tags.iter().filter(|tag| is_final.is_match(tag)).collect();
    let mut versions: Vec<_> =
        all.iter().filter_map(|tag| Some((Version::of(upstream, tag)?, *tag))).collect();
    versions.sort();
    if versions.is_empty() {
        return Ok(builds(upstream, &all).into_iter().cloned().collect());
    }
    Ok(versions.into_iter().map(|(_, tag)| tag.clone()).collect())
}

/// The tags that are builds, lowest number first.
fn builds<'t>(upstream: &Upstream, tags: &[&'t String]) -> Vec<&'t String> {
    let Some(prefix) = &upstream.build_prefix else { return Vec::new() };
    let number = |tag: &str| tag.strip_prefix(prefix.as_str())?.parse::<u64>().ok();
    let mut found: Vec<_> = tags.iter().filter_map(|tag| Some((number(tag)?, *tag))).collect();
    found.sort();
    found.into_iter().map(|(_, tag)| tag).collect()
}

/// The names of an upstream's stored tags.
///
/// # Errors
/// Those of the store.
pub fn tag_names(store: &Store, upstream: &Upstream) -> Result<Vec<String>, QueryError> {
    let tags = store.tags(store.upstream(&upstream.name)?)?;
    Ok(tags.into_iter().map(|tag| tag.name).collect())
}

/// The newest stored releases: the last version, and the last build where an upstream also
/// numbers its builds, since no version orders those.
///
/// # Errors
/// Those of the store.
pub fn newest(store: &Store, upstream: &Upstream) -> Result<Vec<String>, QueryError> {
    let names = tag_names(store, upstream)?;
    let mut out: Vec<String> = finals(upstream, &names)?.pop().into_iter().collect();
    let last = builds(upstream, &names.iter().collect::<Vec<_>>()).pop().cloned();
    out.extend(last.filter(|name| !out.contains(name)));
    Ok(out)
}
