//! Whose hardware a report runs on, and whose a commit's subject is about. Data:
//! `rules/rank/hardware.toml`.

use regex::bytes::RegexSet;
use serde::Deserialize;

use super::RulesError;
use super::pattern::{QuestionSet, compile_set};

const HARDWARE: &str = include_str!("../../rules/rank/hardware.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    maker: Vec<Maker>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Maker {
    name: String,
    backends: Vec<String>,
    asks: String,
    subject: String,
    #[cfg_attr(not(test), allow(dead_code))]
    must: Vec<String>,
    #[cfg_attr(not(test), allow(dead_code))]
    must_not: Vec<String>,
    #[cfg_attr(not(test), allow(dead_code))]
    names: Vec<String>,
    #[cfg_attr(not(test), allow(dead_code))]
    names_not: Vec<String>,
}

/// The makers, ready for reports and subjects. A set of them is bits in the file's order.
#[derive(Debug)]
pub struct Hardware {
    makers: Vec<Maker>,
    asks: QuestionSet,
    subject: RegexSet,
}

impl Hardware {
    /// The makers that ship with the binary.
    ///
    /// # Errors
    /// Where the file is no valid TOML or holds an invalid pattern.
    pub fn shipped() -> Result<Self, RulesError> {
        let File { maker: makers } = toml::from_str(HARDWARE)?;
        Ok(Hardware {
            asks: QuestionSet::new(makers.iter().map(|maker| maker.asks.as_str()))?,
            subject: compile_set(makers.iter().map(|maker| maker.subject.as_str()))?,
            makers,
        })
    }

    /// Whose hardware a report with these backends runs on.
    pub fn asked(&self, report: &str, backends: &[String]) -> u32 {
        let of_backends =
            self.makers.iter().enumerate().filter(|(_, maker)| {
                maker.backends.iter().any(|backend| backends.contains(backend))
            });
        let by_backend: u32 = bits(of_backends.map(|(at, _)| at));
        by_backend | bits(self.asks.matching(report))
    }

    /// Whose hardware a subject is about.
    pub fn of_subject(&self, subject: &str) -> u32 {
        bits(self.subject.matches(subject.as_bytes()).iter())
    }

    /// The names in a set.
    pub fn names(&self, set: u32) -> Vec<&str> {
        let all = self.makers.iter().enumerate();
        all.filter(|(at, _)| *at < 32 && set & 1 << at != 0).map(|(_, m)| m.name.as_str()).collect()
    }
}

fn bits(found: impl IntoIterator<Item = usize>) -> u32 {
    found.into_iter().filter(|at| *at < 32).fold(0, |bits, at| bits | 1 << at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_maker_is_guarded_by_its_examples() {
        let hardware = Hardware::shipped().unwrap();
        let mut failed = Vec::new();
        for (at, maker) in hardware.makers.iter().enumerate() {
            let mut check = |set: u32, wanted: bool, text: &str| {
                if (set & 1 << at != 0) != wanted {
                    failed.push(format!("{}: {text:?}", maker.name));
                }
            };
            maker.must.iter().for_each(|text| check(hardware.asked(text, &[]), true, text));
            maker.must_not.iter().for_each(|text| check(hardware.asked(text, &[]), false, text));
            maker.names.iter().for_each(|text| check(hardware.of_subject(text), true, text));
            maker.names_not.iter().for_each(|text| check(hardware.of_subject(text), false, text));
        }
        assert!(failed.is_empty(), "{failed:#?}");
        assert_eq!(hardware.names(hardware.asked("it is slow", &["hip".to_owned()])), ["AMD"]);
    }
}
