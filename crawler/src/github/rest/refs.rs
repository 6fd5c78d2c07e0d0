//! The tags that a window needs, and the head of the branch.
//! <https://docs.github.com/en/rest/git/refs#list-matching-references>

use chrono::Utc;
use headwater_store::Oid;
use headwater_store::model::{Tag, TagObservation};
use headwater_store::upstream::{Upstream, Version};
use serde::Deserialize;

use super::Rest;
use crate::github::GitHubError;
use crate::github::compare::escaped;
use crate::transport::Refs;

/// At so many references a list has been seen to end, without a word.
const CUT_AT: usize = 1000;
/// How many tag objects are looked into: each costs a request.
const MOST_PEELED: usize = 5;

#[derive(Debug, Deserialize)]
struct Reference {
    #[serde(rename = "ref")]
    name: String,
    object: Object,
}

#[derive(Debug, Deserialize)]
struct Object {
    sha: String,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Debug, Deserialize)]
struct TagObject {
    object: Object,
}

impl Rest<'_> {
    /// The branch's head and the tags that begin as those do which lie between the ends.
    pub(super) fn some_refs(
        &self,
        upstream: &Upstream,
        ends: Option<[&str; 2]>,
    ) -> Result<Refs, GitHubError> {
        let heads = self.matching(&format!("heads/{}", upstream.branch))?;
        let wanted = format!("refs/heads/{}", upstream.branch);
        let branch = heads.into_iter().find(|one| one.name == wanted);
        let branch = branch.and_then(|one| one.object.sha.parse().ok());
        let full = |end: &str| full_name(upstream, end);
        let prefix = match ends {
            Some([base, head]) => shared_start(&full(base), &full(head)),
            None => upstream.tag_prefix.clone(),
        };
        let mut listed = self.matching(&format!("tags/{prefix}"))?;
        if listed.len() >= CUT_AT {
            // The ends themselves may be among what was cut.
            for end in ends.into_iter().flatten().filter(|end| end.parse::<Oid>().is_err()) {
                let tag = format!("refs/tags/{}", full(end));
                if !listed.iter().any(|one| one.name == tag) {
                    listed.extend(self.matching(&tag["refs/".len()..])?);
                }
            }
            self.cut_refs.borrow_mut().push(format!(
                "the list of tags that begin with {prefix:?} has {} entries, where such lists end",
                listed.len()
            ));
        }
        let mut tags = Vec::new();
        let mut peeled = 0;
        for one in listed {
            let Some(name) = one.name.strip_prefix("refs/tags/") else { continue };
            let Ok(oid) = one.object.sha.parse::<Oid>() else { continue };
            let mut tag = Tag { name: name.to_owned(), commit: oid, object: None };
            match one.object.kind.as_str() {
                "commit" => {}
                "tag" if between(upstream, name, ends) && peeled < MOST_PEELED => {
                    peeled += 1;
                    let Some(commit) = self.peeled(oid)? else { continue };
                    (tag.commit, tag.object) = (commit, Some(oid));
                }
                _ => continue, // neither a window's end nor between them, or no commit
            }
            let observed = Utc::now();
            tags.push(TagObservation { name: name.to_owned(), tag: Some(tag), observed });
        }
        Ok(Refs { branch, tags, all: false })
    }

    fn matching(&self, name: &str) -> Result<Vec<Reference>, GitHubError> {
        let mut all: Vec<Reference> = Vec::new();
        let (first, mut next) = self.json(&format!("/git/matching-refs/{}", escaped(name)))?;
        all.extend::<Vec<Reference>>(first);
        while let Some(url) = next.filter(|_| all.len() < 100 * CUT_AT) {
            let (more, after) = self.page::<Vec<Reference>>(&url)?;
            all.extend(more);
            next = after;
        }
        Ok(all)
    }

    /// The commit that a tag object names, through tags of tags.
    fn peeled(&self, tag: Oid) -> Result<Option<Oid>, GitHubError> {
        let mut at = tag;
        for _ in 0..3 {
            let (found, _): (TagObject, _) = self.json(&format!("/git/tags/{at}"))?;
            let Ok(named) = found.object.sha.parse() else { return Ok(None) };
            match found.object.kind.as_str() {
                "commit" => return Ok(Some(named)),
                "tag" => at = named,
                _ => return Ok(None),
            }
        }
        Ok(None)
    }
}

/// A window's end as a tag would be called.
fn full_name(upstream: &Upstream, end: &str) -> String {
    let bare = !end.starts_with(upstream.tag_prefix.as_str());
    match bare && Version::of(upstream, end).is_some() {
        true => format!("{}{end}", upstream.tag_prefix),
        false => end.to_owned(),
    }
}

/// Whether a tag may be an end of a window or lie between them; every one where there is
/// no window.
fn between(upstream: &Upstream, tag: &str, ends: Option<[&str; 2]>) -> bool {
    let Some([base, head]) = ends.map(|ends| ends.map(|end| full_name(upstream, end))) else {
        return false;
    };
    if tag == base || tag == head {
        return true;
    }
    let version = |name: &str| Version::of(upstream, name);
    match (version(&base), version(tag), version(&head)) {
        (Some(low), Some(own), Some(high)) => low <= own && own <= high,
        _ => false,
    }
}

/// How both names, and the name of every version between them, begin.
fn shared_start(base: &str, head: &str) -> String {
    let same = base.bytes().zip(head.bytes()).take_while(|(a, b)| a == b).count();
    let start = base.get(..same).unwrap_or_default();
    let digits = |name: &str| {
        let rest = name.get(same..).unwrap_or_default();
        rest.bytes().take_while(u8::is_ascii_digit).count()
    };
    // Between 9 and 13 lies 10, and between 1 and 13 lies 2: numbers of one length alone
    // share their first digits with those between them.
    let cut = if digits(base) == digits(head) {
        start
    } else {
        start.trim_end_matches(|c: char| c.is_ascii_digit())
    };
    cut.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_between_begin_as_both_ends_do() {
        for (base, head, start) in [
            ("v0.32.9", "v0.32.13", "v0.32."),
            ("v0.32.1", "v0.32.13", "v0.32."),
            ("v0.32.10", "v0.32.13", "v0.32.1"),
            ("v0.9.5", "v0.10.1", "v0."),
            ("b10353", "b10380", "b103"),
            ("b9999", "b10001", "b"),
            ("v0.6.0", "v0.6.0-rc1", "v0.6.0"),
            ("é1", "è1", ""),
        ] {
            assert_eq!(shared_start(base, head), start, "{base}..{head}");
        }
    }
}
