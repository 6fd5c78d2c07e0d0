//! The tags that a window needs, and the head of the branch.
//! <https://docs.github.com/en/rest/git/refs#list-matching-references>

use chrono::Utc;
use headwater_store::Oid;
use headwater_store::model::{Tag, TagObservation};
use headwater_store::upstream::{Upstream, Version};
use serde::Deserialize;

use super::Rest;
use crate::git::resolve;
use crate::github::compare::escaped;
use crate::github::{Asked, GitHubError};
use crate::transport::Refs;

/// At so many references a list has been seen to end, without a word.
const CUT_AT: usize = 1000;
/// How many tag objects are looked into without a token, and with one: each costs a
/// request.
const MOST_PEELED: [usize; 2] = [5, 100];
/// How many lists of builds are asked for: a window of so many hundreds.
const MOST_LISTS: u64 = 8;

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
        let mut peeled = Peeled::default();
        let mut tags = Vec::new();
        if let Some(start) = version_start(upstream, ends) {
            self.add_tags(upstream, &start, ends, &mut tags, &mut peeled)?;
        }
        if let (Some(prefix), Some([base, head])) = (&upstream.build_prefix, ends) {
            let known = Refs { branch, tags: tags.clone(), all: false };
            let base = self.build_number(upstream, &known, prefix, base)?;
            let head = self.build_number(upstream, &known, prefix, head)?;
            for start in build_starts(prefix, base, head) {
                self.add_tags(upstream, &start, ends, &mut tags, &mut peeled)?;
            }
            let from = upstream.versions_from_build;
            let both = from.is_some_and(|from| head.is_none_or(|head| head >= from));
            if both && version_start(upstream, ends).is_none() {
                self.add_tags(upstream, &upstream.tag_prefix, ends, &mut tags, &mut peeled)?;
            }
        }
        if peeled.left_out > 0 {
            self.cut_refs.borrow_mut().push(format!(
                "{} annotated tags were not looked into: they may name commits of this window",
                peeled.left_out
            ));
        }
        Ok(Refs { branch, tags, all: false })
    }

    /// Adds the tags that begin so.
    fn add_tags(
        &self,
        upstream: &Upstream,
        start: &str,
        ends: Option<[&str; 2]>,
        tags: &mut Vec<TagObservation>,
        peeled: &mut Peeled,
    ) -> Result<(), GitHubError> {
        let mut listed = self.matching(&format!("tags/{start}"))?;
        if listed.len() >= CUT_AT {
            // The ends themselves may be among what was cut.
            for end in ends.into_iter().flatten().filter(|end| end.parse::<Oid>().is_err()) {
                let tag = format!("refs/tags/{}", full_name(upstream, end));
                if !listed.iter().any(|one| one.name == tag) {
                    listed.extend(self.matching(&tag["refs/".len()..])?);
                }
            }
            self.cut_refs.borrow_mut().push(format!(
                "the list of tags that begin with {start:?} has {} entries, where such lists end",
                listed.len()
            ));
        }
        // The newest come last, and matter most where not all are looked into.
        for one in listed.into_iter().rev() {
            let Some(name) = one.name.strip_prefix("refs/tags/") else { continue };
            let Ok(oid) = one.object.sha.parse::<Oid>() else { continue };
            let mut tag = Tag { name: name.to_owned(), commit: oid, object: None };
            match one.object.kind.as_str() {
                "commit" => {}
                "tag" => match between(upstream, name, ends) {
                    Between::No => continue,
                    _ if peeled.asked >= MOST_PEELED[usize::from(self.api.has_token())] => {
                        peeled.left_out += 1;
                        continue;
                    }
                    Between::Yes | Between::Unknown => {
                        peeled.asked += 1;
                        let Some(commit) = self.peeled(oid)? else { continue };
                        (tag.commit, tag.object) = (commit, Some(oid));
                    }
                },
                _ => continue, // no commit
            }
            let observed = Utc::now();
            tags.push(TagObservation { name: name.to_owned(), tag: Some(tag), observed });
        }
        Ok(())
    }

    /// The number of the build that an end is: what its name says, or how many commits
    /// lead to it.
    fn build_number(
        &self,
        upstream: &Upstream,
        known: &Refs,
        prefix: &str,
        end: &str,
    ) -> Result<Option<u64>, GitHubError> {
        if let Some(number) = end.strip_prefix(prefix).and_then(|digits| digits.parse().ok()) {
            return Ok(Some(number));
        }
        match resolve(upstream, known, end) {
            Ok((_, oid)) => self.counted(oid),
            Err(_) => Ok(None),
        }
    }

    /// How many commits lead to one: the number of the last page, of one commit each.
    /// It only says where to look for tags.
    fn counted(&self, oid: Oid) -> Result<Option<u64>, GitHubError> {
        let route = format!("/repos/{}/commits?sha={oid}&per_page=1", self.repository.borrow());
        let asked = Asked { route: &route, accept: None, etag: None, limit: 1 << 20 };
        let Some(last) = self.api.get(&asked)?.last else { return Ok(None) };
        let Some((_, query)) = last.split_once('?') else { return Ok(None) };
        let page = query.split('&').find_map(|pair| pair.strip_prefix("page="));
        Ok(page.and_then(|number| number.parse().ok()))
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

/// How many tag objects were looked into, and how many were not.
#[derive(Default)]
struct Peeled {
    asked: usize,
    left_out: usize,
}

/// Whether a tag is an end of a window or lies between them.
enum Between {
    Yes,
    No,
    /// Its name does not say.
    Unknown,
}

fn between(upstream: &Upstream, tag: &str, ends: Option<[&str; 2]>) -> Between {
    let Some([base, head]) = ends.map(|ends| ends.map(|end| full_name(upstream, end))) else {
        return Between::No;
    };
    if tag == base || tag == head {
        return Between::Yes;
    }
    let version = |name: &str| Version::of(upstream, name);
    match (version(&base), version(tag), version(&head)) {
        (Some(low), Some(own), Some(high)) if low <= own && own <= high => Between::Yes,
        (Some(_), Some(_), Some(_)) => Between::No,
        _ => Between::Unknown,
    }
}

/// How the versions between the ends begin; none where versions say nothing of the ends
/// and builds do.
fn version_start(upstream: &Upstream, ends: Option<[&str; 2]>) -> Option<String> {
    let Some(ends) = ends else { return Some(upstream.tag_prefix.clone()) };
    let [base, head] = ends.map(|end| full_name(upstream, end));
    let named = |end: &str| Version::of(upstream, end).is_some();
    match (named(&base), named(&head)) {
        (true, true) => Some(shared_start(&base, &head)),
        (false, false) if upstream.build_prefix.is_some() => None,
        _ => Some(upstream.tag_prefix.clone()),
    }
}

/// How the builds between two numbers begin: few enough of them that no list is cut.
fn build_starts(prefix: &str, base: Option<u64>, head: Option<u64>) -> Vec<String> {
    let (Some(base), Some(head)) = (base, head) else { return vec![prefix.to_owned()] };
    let (low, high) = (base.min(head), base.max(head));
    // Shorter numbers begin thousands of longer ones.
    if low < 1000 || high / 100 - low / 100 >= MOST_LISTS {
        return vec![shared_start(&format!("{prefix}{low}"), &format!("{prefix}{high}"))];
    }
    let hundreds: Vec<u64> = (low / 100..=high / 100).collect();
    match hundreds[..] {
        [_] => vec![shared_start(&format!("{prefix}{low}"), &format!("{prefix}{high}"))],
        _ => hundreds.into_iter().map(|hundred| format!("{prefix}{hundred}")).collect(),
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
    fn builds_are_listed_by_hundreds() {
        let starts = |low, high| build_starts("b", Some(low), Some(high));
        assert_eq!(starts(10353, 10380), ["b103"]);
        assert_eq!(starts(10353, 10355), ["b1035"]);
        assert_eq!(starts(10001, 9999), ["b99", "b100"]);
        assert_eq!(starts(3862, 4327), ["b38", "b39", "b40", "b41", "b42", "b43"]);
        assert_eq!(starts(1000, 9000), ["b"]);
        assert_eq!(starts(7, 30), ["b"]);
        assert_eq!(build_starts("b", None, Some(4)), ["b"]);
    }

    #[test]
    fn versions_are_listed_where_the_ends_name_them() {
        let upstreams = headwater_store::upstream::Upstreams::built_in().unwrap();
        let [ollama, llama] = ["ollama", "llama.cpp"].map(|name| upstreams.get(name).unwrap());
        let start = |upstream, base, head| version_start(upstream, Some([base, head]));
        let sha = "6a261db7d6a261db7d6a261db7d6a261db7d6a26";
        assert_eq!(start(ollama, "0.32.9", "v0.32.13").as_deref(), Some("v0.32."));
        assert_eq!(start(ollama, sha, sha).as_deref(), Some("v"));
        assert_eq!(start(llama, sha, "b10380"), None);
        assert_eq!(start(llama, "b10380", "v0.2.0").as_deref(), Some("v"));
        assert_eq!(start(llama, "0.1.0", "v0.2.0").as_deref(), Some("v0."));
    }

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
