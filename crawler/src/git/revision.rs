//! What a window's end means among the refs that a host shows.

use headwater_store::Oid;
use headwater_store::upstream::{Upstream, Version};

use crate::CrawlError;
use crate::transport::Refs;

/// What an end names, as the host calls it, and the commit: a tag, with or without its
/// prefix; the branch; or an object id in full.
///
/// # Errors
/// [`CrawlError::NoSuchRef`].
pub fn resolve(upstream: &Upstream, refs: &Refs, name: &str) -> Result<(String, Oid), CrawlError> {
    let tag = |wanted: &str| {
        let tag = refs.tags.iter().find(|tag| tag.name == wanted)?;
        Some((tag.name.clone(), tag.tag.as_ref()?.commit))
    };
    let is_branch = [upstream.branch.as_str(), "HEAD", "head"].contains(&name);
    let branch = || Some((upstream.branch.clone(), refs.branch.filter(|_| is_branch)?));
    tag(name)
        .or_else(|| tag(&format!("{}{name}", upstream.tag_prefix)))
        .or_else(branch)
        .or_else(|| Some((name.to_owned(), name.parse().ok()?)))
        .ok_or_else(|| no_such_ref(upstream, refs, name))
}

fn no_such_ref(upstream: &Upstream, refs: &Refs, name: &str) -> CrawlError {
    let wanted = Version::of(upstream, name);
    let distance = |tag: &str| match (&wanted, Version::of(upstream, tag)) {
        // Versions are near by their numbers, other names by their letters.
        (Some(wanted), Some(found)) => {
            let mut apart = [u64::MAX; 4];
            for (at, slot) in apart.iter_mut().enumerate() {
                *slot = wanted.number(at).abs_diff(found.number(at));
            }
            (0, apart)
        }
        _ => (1, [u64::from(!tag.contains(name)); 4]),
    };
    let mut tags: Vec<&str> = refs.tags.iter().map(|tag| tag.name.as_str()).collect();
    tags.sort_by_key(|tag| (distance(tag), tag.len()));
    tags.truncate(3);
    let nearest = if tags.is_empty() {
        String::new()
    } else {
        format!("; the nearest tags are {}", tags.join(", "))
    };
    let hint = match name.len() {
        7..40 if name.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            "; a commit that is not stored must be given in full"
        }
        _ => "",
    };
    CrawlError::NoSuchRef {
        upstream: upstream.name.clone(),
        name: name.to_owned(),
        nearest: format!("{nearest}{hint}"),
    }
}
