//! What words speak of, as data: `rules/said.toml`.

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use crate::QueryError;

const FILE: &str = include_str!("../../rules/said.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    topic: Vec<Named>,
    ignored: Vec<Plain>,
    figure: Vec<Plain>,
    hardware: Vec<Plain>,
    dispute: Vec<Plain>,
    mechanism: Vec<MechanismRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    id: String,
    pattern: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are for the test"))]
    yes: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are for the test"))]
    no: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Plain {
    pattern: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are for the test"))]
    yes: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are for the test"))]
    no: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MechanismRule {
    id: String,
    upstream: String,
    claim: String,
    says: String,
    ended: EndedRule,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are for the test"))]
    yes: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are for the test"))]
    no: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EndedRule {
    path: String,
    contains: String,
    words: String,
}

/// A statement about how things work, and how a tree shows that it has ended.
#[derive(Debug)]
pub struct Mechanism {
    /// Its name.
    pub id: String,
    /// Whose tree tells.
    pub upstream: String,
    /// What is said.
    pub claim: String,
    /// Finds sentences that say so.
    pub says: Regex,
    /// The file that shows its end.
    pub path: String,
    /// What stands in it once it has ended.
    pub ended: Regex,
    /// What a history search for that looks for.
    pub words: String,
}

/// The rules that lines of release notes are read by, compiled.
#[derive(Debug)]
pub struct NoteRules {
    topics: Vec<(String, Regex)>,
    ignored: Vec<Regex>,
}

impl NoteRules {
    /// The built-in rules.
    ///
    /// # Errors
    /// Where they are not valid.
    pub fn built_in() -> Result<Self, QueryError> {
        let file = file()?;
        Ok(NoteRules {
            topics: file
                .topic
                .into_iter()
                .map(|one| Ok((one.id, compiled(&one.pattern)?)))
                .collect::<Result<_, QueryError>>()?,
            ignored: all(file.ignored)?,
        })
    }

    /// What a line speaks of.
    pub fn topics(&self, line: &str) -> Vec<String> {
        let found = self.topics.iter().filter(|(_, pattern)| pattern.is_match(line));
        found.map(|(id, _)| id.clone()).collect()
    }

    /// Whether a line of notes says nothing about a change.
    pub fn is_ignored(&self, line: &str) -> bool {
        self.ignored.iter().any(|pattern| pattern.is_match(line))
    }
}

/// The rules that pull requests and reports are read by, compiled.
#[derive(Debug)]
pub struct SaidRules {
    figures: Vec<Regex>,
    hardware: Vec<Regex>,
    disputes: Vec<Regex>,
    /// Statements about how things work.
    pub mechanisms: Vec<Mechanism>,
}

impl SaidRules {
    /// The built-in rules.
    ///
    /// # Errors
    /// Where they are not valid.
    pub fn built_in() -> Result<Self, QueryError> {
        let file = file()?;
        Ok(SaidRules {
            figures: all(file.figure)?,
            hardware: all(file.hardware)?,
            disputes: all(file.dispute)?,
            mechanisms: file
                .mechanism
                .into_iter()
                .map(|one| {
                    Ok(Mechanism {
                        id: one.id,
                        upstream: one.upstream,
                        claim: one.claim,
                        says: compiled(&one.says)?,
                        path: one.ended.path,
                        ended: compiled(&one.ended.contains)?,
                        words: one.ended.words,
                    })
                })
                .collect::<Result<_, QueryError>>()?,
        })
    }

    /// Whether a line states a figure.
    pub fn has_figure(&self, line: &str) -> bool {
        self.figures.iter().any(|pattern| pattern.is_match(line))
    }

    /// Whether a sentence, or the title above it, disputes what it names.
    pub fn disputes(&self, title: &str, sentence: &str) -> bool {
        self.disputes.iter().any(|pattern| pattern.is_match(title) || pattern.is_match(sentence))
    }

    /// The hardware that a text names, each once, as it is written there.
    pub fn hardware(&self, text: &str) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for found in self.hardware.iter().flat_map(|pattern| pattern.find_iter(text)) {
            let name = found.as_str().trim().to_owned();
            if !all.iter().any(|known| known.eq_ignore_ascii_case(&name)) {
                all.push(name);
            }
        }
        all
    }
}

/// The files of an upstream that statements about how things work are checked in.
pub(crate) fn checked_paths(upstream: &str) -> Result<Vec<String>, QueryError> {
    let all = file()?.mechanism.into_iter().filter(|one| one.upstream == upstream);
    Ok(all.map(|one| one.ended.path).collect())
}

fn file() -> Result<File, QueryError> {
    toml::from_str(FILE).map_err(|error| invalid(&error.to_string()))
}

fn invalid(why: &str) -> QueryError {
    QueryError::Rules { file: "said.toml".to_owned(), why: why.to_owned() }
}

fn all(rules: Vec<Plain>) -> Result<Vec<Regex>, QueryError> {
    rules.iter().map(|one| compiled(&one.pattern)).collect()
}

fn compiled(pattern: &str) -> Result<Regex, QueryError> {
    RegexBuilder::new(pattern)
        .case_insensitive(true)
        .build()
        .map_err(|error| invalid(&error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_match_and_counterexamples_do_not() {
        let file = file().unwrap();
        let topics = file.topic.iter().map(|t| (t.id.as_str(), &t.pattern, &t.yes, &t.no));
        let plain = [
            ("ignored", &file.ignored),
            ("figure", &file.figure),
            ("hardware", &file.hardware),
            ("dispute", &file.dispute),
        ];
        let plain = plain
            .iter()
            .flat_map(|(name, all)| all.iter().map(move |p| (*name, &p.pattern, &p.yes, &p.no)));
        let says = file.mechanism.iter().map(|m| (m.id.as_str(), &m.says, &m.yes, &m.no));
        for (id, pattern, yes, no) in topics.chain(plain).chain(says) {
            let pattern = compiled(pattern).unwrap();
            assert!(!yes.is_empty() && !no.is_empty(), "{id} has no examples");
            for line in yes {
                assert!(pattern.is_match(line), "{id} must match {line:?}");
            }
            for line in no {
                assert!(!pattern.is_match(line), "{id} must not match {line:?}");
            }
        }
    }

    #[test]
    fn hardware_is_told_once_as_it_is_written() {
        let rules = SaidRules::built_in().unwrap();
        let text = "On an RTX 4090 and an rtx 4090, later on an M3 Max";
        assert_eq!(rules.hardware(text), ["RTX 4090", "M3 Max"]);
    }
}
