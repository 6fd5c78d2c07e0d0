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
        .filter_map(|tag| {
            let bare = || Version::of(upstream, tag.trim_start_matches('v'));
            Some((Version::of(upstream, tag).or_else(bare)?, tag))
        })
        .collect();
    found.sort();
    Ok(found.into_iter().map(|(_, tag)| tag.clone()).collect())
}

/// The newest stored releases: the last version, and the last build where an upstream also
/// numbers its builds, since no version orders those.
///
/// # Errors
/// Those of the store.
pub fn newest(store: &Store, upstream: &Upstream) -> Result<Vec<String>, QueryError> {
    let tags = store.tags(store.upstream(&upstream.name)?)?;
    let names: Vec<String> = tags.into_iter().map(|tag| tag.name).collect();
    let mut out: Vec<String> = finals(upstream, &names)?.pop().into_iter().collect();
    if let Some(prefix) = &upstream.build_prefix {
        let number = |name: &String| name.strip_prefix(prefix.as_str())?.parse::<u64>().ok();
        let last = names.into_iter().filter_map(|name| Some((number(&name)?, name))).max();
        out.extend(last.map(|(_, name)| name).filter(|name| !out.contains(name)));
    }
    Ok(out)
}
