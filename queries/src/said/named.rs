//! Which of a window's changes a sentence names: a commit, a pull request, a knob that
//! moved, a version.

use headwater_store::Oid;
use headwater_store::upstream::Upstream;
use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::Serialize;

use crate::QueryError;
use crate::ledger::words;
use crate::rank::{MentionTarget, Mentions};

/// A change of a window, as others may name it.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    /// The upstream.
    pub(crate) upstream: String,
    /// The commit.
    pub(crate) sha: Oid,
    /// The pull requests that it came with.
    pub(crate) pulls: Vec<u32>,
    /// The knobs whose default it moves, in every spelling that is known.
    pub(crate) knobs: Vec<String>,
}

/// How a text names a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "NamedBy")]
pub enum How {
    /// By its commit's id.
    Commit,
    /// By its pull request's number.
    Pull,
    /// By a knob whose default it moves.
    Knob,
}

/// A change that a text names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Named {
    /// The upstream.
    pub upstream: String,
    /// The commit.
    pub sha: Oid,
    /// How it is named.
    pub how: How,
    /// What names it: the id, the number, the knob.
    pub by: String,
}

/// Finds the changes of a window in texts.
pub(crate) struct Finder {
    mentions: Mentions,
    changes: Vec<(Change, Vec<(String, Regex)>)>,
}

impl Finder {
    pub(crate) fn new(changes: Vec<Change>) -> Result<Self, QueryError> {
        let changes = changes
            .into_iter()
            .map(|change| {
                let knobs = change
                    .knobs
                    .iter()
                    .filter_map(|knob| Some((knob.clone(), knob_pattern(knob)?)));
                let knobs = knobs.collect();
                (change, knobs)
            })
            .collect();
        Ok(Finder { mentions: Mentions::new()?, changes })
    }

    /// The changes that a text of an upstream's people names, with the links beside it.
    /// A number means a pull request of that upstream, a knob anybody's.
    pub(crate) fn find(&self, upstream: &str, text: &str, links: &[String]) -> Vec<Named> {
        let mut out: Vec<Named> = Vec::new();
        let targets: Vec<MentionTarget> = std::iter::once(text)
            .chain(links.iter().map(String::as_str))
            .flat_map(|text| self.mentions.of(text, None))
            .map(|mention| mention.target)
            .collect();
        for (change, knobs) in &self.changes {
            let named = |how, by: String| Named {
                upstream: change.upstream.clone(),
                sha: change.sha,
                how,
                by,
            };
            let full = change.sha.to_string();
            let told = targets.iter().find_map(|target| match target {
                MentionTarget::Sha(sha) if full.starts_with(sha.as_str()) => {
                    Some(named(How::Commit, sha.clone()))
                }
                MentionTarget::Pull(number)
                    if change.upstream == upstream && change.pulls.contains(number) =>
                {
                    Some(named(How::Pull, format!("#{number}")))
                }
                _ => None,
            });
            let told = told.or_else(|| {
                let (knob, _) = knobs.iter().find(|(_, pattern)| pattern.is_match(text))?;
                Some(named(How::Knob, knob.clone()))
            });
            out.extend(told);
        }
        out
    }
}

/// Finds a knob in a sentence, however it is spelled there. A knob of one short word is a
/// word of the language too, and is found between backticks or behind dashes only, which
/// plain text does not keep: it has no pattern.
pub(crate) fn knob_pattern(knob: &str) -> Option<Regex> {
    let words = words(knob);
    let letters: usize = words.iter().map(String::len).sum();
    if words.len() < 2 || letters < 5 {
        return None;
    }
    let words: Vec<String> = words.iter().map(|word| regex::escape(word)).collect();
    RegexBuilder::new(&format!(r"\b{}\b", words.join("[ _-]?"))).case_insensitive(true).build().ok()
}

/// Finds a release's version in a sentence: with or without its prefix, and not as a part
/// of another.
pub(crate) fn version_pattern(upstream: &Upstream, tag: &str) -> Option<Regex> {
    let bare = tag.strip_prefix(upstream.tag_prefix.as_str()).unwrap_or(tag);
    let prefix = regex::escape(&upstream.tag_prefix);
    let bare = regex::escape(bare);
    Regex::new(&format!(r"(?:^|[^\w.])(?:{prefix})?{bare}(?:$|[^\w.-]|\.(?:$|\D))")).ok()
}

#[cfg(test)]
mod tests {
    use headwater_store::upstream::Upstreams;

    use super::*;

    #[test]
    fn a_knob_is_found_in_every_spelling_and_a_short_word_is_none() {
        for knob in ["repeat_penalty", "RepeatPenalty", "--repeat-penalty"] {
            let pattern = knob_pattern(knob).unwrap();
            for text in ["the repeat penalty is", "RepeatPenalty=1", "a `repeat_penalty` of"] {
                assert!(pattern.is_match(text), "{knob} in {text}");
            }
            assert!(!pattern.is_match("penalties repeat"));
        }
        assert!(knob_pattern("seed").is_none() && knob_pattern("-n").is_none());
    }

    #[test]
    fn a_version_is_no_part_of_another() {
        let upstreams = Upstreams::built_in().unwrap();
        let ollama = version_pattern(upstreams.get("ollama").unwrap(), "v0.32.1").unwrap();
        for text in ["since 0.32.1 it", "v0.32.1", "on 0.32.1.", "(0.32.1)"] {
            assert!(ollama.is_match(text), "{text}");
        }
        for text in ["0.32.10", "10.32.1", "0.32.1.4", "0.32.1-rc0"] {
            assert!(!ollama.is_match(text), "{text}");
        }
        let build = version_pattern(upstreams.get("llama.cpp").unwrap(), "b38").unwrap();
        assert!(build.is_match("since b38?") && !build.is_match("b380") && !build.is_match("ab38"));
    }

    #[test]
    fn a_number_is_a_pull_request_of_its_own_upstream() {
        let sha: Oid = "abcdef0123456789abcdef0123456789abcdef01".parse().unwrap();
        let change = Change {
            upstream: "ollama".to_owned(),
            sha,
            pulls: vec![17],
            knobs: vec!["repeat_penalty".to_owned()],
        };
        let finder = Finder::new(vec![change]).unwrap();
        let how = |upstream: &str, text: &str| {
            finder.find(upstream, text, &[]).first().map(|named| named.how)
        };
        assert_eq!(how("ollama", "fixed in #17"), Some(How::Pull));
        assert_eq!(how("llama.cpp", "fixed in #17"), None);
        assert_eq!(how("llama.cpp", "bisected to abcdef0123"), Some(How::Commit));
        assert_eq!(how("ollama", "set Repeat-Penalty"), Some(How::Knob));
        assert_eq!(how("ollama", "nothing of the kind"), None);
        let links = vec!["https://github.com/ollama/ollama/pull/17".to_owned()];
        assert_eq!(finder.find("ollama", "by kim", &links).len(), 1);
    }

    proptest::proptest! {
        #[test]
        fn never_panics(knob in "\\PC{0,30}", tag in "\\PC{0,30}") {
            let _ = knob_pattern(&knob);
            let upstreams = Upstreams::built_in().unwrap();
            let _ = version_pattern(upstreams.get("ollama").unwrap(), &tag);
        }
    }
}
