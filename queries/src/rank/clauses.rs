//! The clauses of a report: what it complains of, what it says is fine, and
//! what makes the trouble go away.

use regex::bytes::Regex;
use serde::Deserialize;

use super::RulesError;
use super::pattern::compile;

const CLAUSES: &str = include_str!("../../rules/rank/clauses.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    spared: String,
    past: String,
    remedy: String,
    everywhere: String,
    programs: String,
    any_model: String,
    #[cfg_attr(not(test), allow(dead_code))]
    spared_examples: Vec<String>,
    #[cfg_attr(not(test), allow(dead_code))]
    past_examples: Vec<String>,
    #[cfg_attr(not(test), allow(dead_code))]
    remedy_examples: Vec<String>,
    #[cfg_attr(not(test), allow(dead_code))]
    everywhere_examples: Vec<String>,
    #[cfg_attr(not(test), allow(dead_code))]
    nowhere_examples: Vec<String>,
}

/// What a clause of a report is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClauseKind {
    /// It complains.
    Complaint,
    /// It says what is fine.
    Spared,
    /// It says what makes the trouble go away or come.
    Remedy,
}

/// One clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause<'a> {
    /// What it is for.
    pub kind: ClauseKind,
    /// Its text.
    pub text: &'a str,
}

/// The compiled patterns.
#[derive(Debug)]
pub struct Clauses {
    spared: Regex,
    past: Regex,
    remedy: Regex,
    everywhere: Regex,
    programs: Regex,
    any_model: Regex,
    border: Regex,
}

impl Clauses {
    /// The patterns that ship with the binary.
    ///
    /// # Errors
    /// Where the file is no valid TOML or holds an invalid pattern.
    pub fn shipped() -> Result<Self, RulesError> {
        let file: File = toml::from_str(CLAUSES)?;
        Ok(Clauses {
            spared: compile(&file.spared)?,
            past: compile(&file.past)?,
            remedy: compile(&file.remedy)?,
            everywhere: compile(&file.everywhere)?,
            programs: compile(&file.programs)?,
            any_model: compile(&file.any_model)?,
            border: compile(
                r"[.;:!?](\s|$)|,\s|\s(but|while|whereas|although|though|unless)\s|[()]",
            )?,
        })
    }

    /// The clauses of a report, in order.
    pub fn cut<'a>(&self, report: &'a str) -> Vec<Clause<'a>> {
        let mut out = Vec::new();
        let mut start = 0;
        for border in self.border.find_iter(report.as_bytes()) {
            // A word at the border belongs to what follows.
            self.push(report.get(start..border.start()), &mut out);
            start = if border
                .as_bytes()
                .iter()
                .all(|b| b.is_ascii_alphabetic() || b.is_ascii_whitespace())
            {
                border.start()
            } else {
                border.end()
            };
        }
        self.push(report.get(start..), &mut out);
        out
    }

    /// Whether a report says that the trouble does not depend on the backend.
    pub fn everywhere(&self, report: &str) -> bool {
        self.everywhere.is_match(report.as_bytes())
    }

    /// The words of a report's complaints without those that tell nothing: of several
    /// programs that fail alike, and of models where any fails.
    pub fn telling(&self, complaint: &str) -> String {
        let mut programs: Vec<&[u8]> =
            self.programs.find_iter(complaint.as_bytes()).map(|found| found.as_bytes()).collect();
        programs.sort_unstable();
        programs.dedup();
        let mut text = self.any_model.replace_all(complaint.as_bytes(), &b" "[..]).into_owned();
        if programs.len() > 1 {
            text = self.programs.replace_all(&text, &b" "[..]).into_owned();
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    /// The words of a clause that says what helps, without those that say that it does.
    pub fn helping(&self, clause: &str) -> String {
        let text = self.remedy.replace_all(clause.as_bytes(), &b" "[..]);
        String::from_utf8_lossy(&text).into_owned()
    }

    fn push<'a>(&self, text: Option<&'a str>, out: &mut Vec<Clause<'a>>) {
        let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return };
        let kind = if self.remedy.is_match(text.as_bytes()) {
            ClauseKind::Remedy
        } else if self.spared.is_match(text.as_bytes()) && !self.past.is_match(text.as_bytes()) {
            ClauseKind::Spared
        } else {
            ClauseKind::Complaint
        };
        out.push(Clause { kind, text });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(report: &str) -> Vec<ClauseKind> {
        Clauses::shipped().unwrap().cut(report).iter().map(|clause| clause.kind).collect()
    }

    #[test]
    fn the_examples_are_what_they_say() {
        let file: File = toml::from_str(CLAUSES).unwrap();
        for text in file.spared_examples {
            assert_eq!(kinds(&text), [ClauseKind::Spared], "{text}");
        }
        for text in file.past_examples {
            assert_eq!(kinds(&text), [ClauseKind::Complaint], "{text}");
        }
        for text in file.remedy_examples {
            assert_eq!(kinds(&text), [ClauseKind::Remedy], "{text}");
        }
    }

    #[test]
    fn what_depends_on_nothing_tells_nothing() {
        let clauses = Clauses::shipped().unwrap();
        let file: File = toml::from_str(CLAUSES).unwrap();
        for text in file.everywhere_examples {
            assert!(clauses.everywhere(&text), "{text}");
        }
        for text in file.nowhere_examples {
            assert!(!clauses.everywhere(&text), "{text}");
        }
        let telling = |text: &str| {
            let told = clauses.telling(text);
            told.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(telling("llama-server and llama-bench hang"), "and hang");
        assert_eq!(telling("llama-server hangs, llama-server"), "llama-server hangs, llama-server");
        assert_eq!(telling("fails with every model"), "fails with");
        assert_eq!(clauses.helping("disabling fusion avoids it").trim(), "fusion");
        assert_eq!(telling("fails with a model"), "fails with a model");
    }

    #[test]
    fn a_complaint_and_what_is_fine_are_told_apart() {
        let report = "Metal prints noise since b100; the CPU backend is fine, but only with f16.";
        assert_eq!(kinds(report), [ClauseKind::Complaint, ClauseKind::Spared, ClauseKind::Remedy]);
    }

    #[test]
    fn never_panics() {
        let clauses = Clauses::shipped().unwrap();
        proptest::proptest!(|(text in "\\PC{0,200}")| {
            let cut: usize = clauses.cut(&text).iter().map(|clause| clause.text.len()).sum();
            proptest::prop_assert!(cut <= text.len());
        });
    }
}
