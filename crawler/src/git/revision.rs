//! What a window's end means among the refs that a host shows.

use headwater_store::Oid;
use headwater_store::upstream::Upstream;

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
    let wanted = version(upstream, name);
    let distance = |tag: &str| match (&wanted, version(upstream, tag)) {
        // Versions are near by their numbers, other names by their letters.
        (Some(wanted), Some(found)) => {
            let mut apart = [u64::MAX; 4];
            for (at, slot) in apart.iter_mut().enumerate() {
                let of = |version: &Version| version.numbers.get(at).copied().unwrap_or(0);
                *slot = of(wanted).abs_diff(of(&found));
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

/// A tag's version, in the order of versions: numbers first, and a candidate before the
/// release.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    numbers: Vec<u64>,
    is_final: bool,
    rest: Vec<u64>,
}

/// The version that a tag names, if it names one.
pub fn version(upstream: &Upstream, name: &str) -> Option<Version> {
    let bare = name.strip_prefix(upstream.tag_prefix.as_str()).unwrap_or(name);
    let (numbers, rest) = match bare.split_once(['-', '+']) {
        Some((numbers, rest)) => (numbers, Some(rest)),
        None => (bare, None),
    };
    let numbers: Vec<u64> = numbers.split('.').map(str::parse).collect::<Result<_, _>>().ok()?;
    let digits = |text: &str| -> Vec<u64> {
        text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
    };
    Some(Version { numbers, is_final: rest.is_none(), rest: rest.map(digits).unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use headwater_store::upstream::Upstreams;

    use super::*;

    #[test]
    fn candidates_come_before_their_release_and_ten_after_nine() {
        let upstreams = Upstreams::built_in().unwrap();
        let ollama = upstreams.get("ollama").unwrap();
        let order = ["v0.32.9", "0.32.10-rc0", "v0.32.10-rc12", "v0.32.10", "v0.32.11"];
        let versions: Vec<Version> =
            order.iter().map(|name| version(ollama, name).unwrap()).collect();
        assert!(versions.windows(2).all(|pair| pair[0] < pair[1]), "{versions:?}");
        assert!(version(ollama, "main").is_none() && version(ollama, "v").is_none());
    }

    proptest::proptest! {
        #[test]
        fn never_panics(name in "\\PC{0,40}") {
            let upstreams = Upstreams::built_in().unwrap();
            let _ = version(upstreams.get("llama.cpp").unwrap(), &name);
        }
    }
}
