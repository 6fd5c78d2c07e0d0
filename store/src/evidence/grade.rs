//! Grades, computed from source, method and coverage.

use schemars::JsonSchema;
use serde::Serialize;

use super::Coverage;

/// Who says what a claim rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The upstream's own bytes.
    FirstParty,
    /// A rule of headwater's or the user's, over first-party bytes.
    Rule,
    /// A reading or measurement on this machine.
    Observation,
    /// Somebody else's words.
    ThirdParty,
}

/// How a claim was made from its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The bytes of a record say it.
    Record,
    /// As [`Method::Record`], and a second transport returned the same.
    RecordTwice,
    /// An exact search over everything in scope.
    Search,
    /// A rule fired, or none did.
    Rule,
    /// A measurement.
    Measurement,
    /// Somebody read it.
    Reading,
}

/// How well a claim is supported, as printed beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Grade {
    /// First-party bytes, their hash kept.
    #[serde(rename = "record")]
    Record,
    /// The same from two transports.
    #[serde(rename = "record+")]
    RecordTwice,
    /// A complete exact search, no gap.
    #[serde(rename = "grep")]
    Grep,
    /// A rule fired.
    #[serde(rename = "rule")]
    Rule,
    /// An observation.
    #[serde(rename = "measured")]
    Measured,
    /// No rule fired, no gap: weaker than a grep.
    #[serde(rename = "absent-rule")]
    AbsentRule,
    /// Nothing found, but coverage has gaps: the weakest absence.
    #[serde(rename = "absent-partial")]
    AbsentPartial,
    /// Somebody else's words.
    #[serde(rename = "third-party")]
    ThirdParty,
}

impl Grade {
    /// The grade of a presence.
    pub(crate) fn of_presence(source: Source, method: Method) -> Self {
        match (source, method) {
            (Source::ThirdParty, _) => Grade::ThirdParty,
            (Source::Observation, _) | (_, Method::Measurement) => Grade::Measured,
            (Source::Rule, _) | (_, Method::Rule | Method::Reading) => Grade::Rule,
            (Source::FirstParty, Method::Record) => Grade::Record,
            (Source::FirstParty, Method::RecordTwice) => Grade::RecordTwice,
            (Source::FirstParty, Method::Search) => Grade::Grep,
        }
    }

    /// The grade of an absence.
    pub(crate) fn of_absence(method: Method, coverage: &Coverage) -> Self {
        if !coverage.is_complete() {
            return Grade::AbsentPartial;
        }
        match method {
            Method::Search => Grade::Grep,
            _ => Grade::AbsentRule,
        }
    }

    /// As printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Grade::Record => "record",
            Grade::RecordTwice => "record+",
            Grade::Grep => "grep",
            Grade::Rule => "rule",
            Grade::Measured => "measured",
            Grade::AbsentRule => "absent-rule",
            Grade::AbsentPartial => "absent-partial",
            Grade::ThirdParty => "third-party",
        }
    }
}

impl std::fmt::Display for Grade {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Oid;
    use crate::evidence::Gap;

    fn coverage(stored: u64, reported: u64, gaps: Vec<Gap>) -> Coverage {
        Coverage::new(
            "ollama".into(),
            "ollama a..b".into(),
            stored,
            reported,
            gaps.len() as u64,
            gaps,
        )
    }

    #[test]
    fn a_gap_weakens_every_absence() {
        let gap = Gap {
            kind: "missing-blob".into(),
            commit: Some(Oid::ZERO),
            path: None,
            detail: "gone".into(),
        };
        for method in [Method::Search, Method::Rule] {
            assert_eq!(
                Grade::of_absence(method, &coverage(3, 3, vec![gap.clone()])),
                Grade::AbsentPartial
            );
            assert_eq!(Grade::of_absence(method, &coverage(2, 3, vec![])), Grade::AbsentPartial);
        }
        assert_eq!(Grade::of_absence(Method::Search, &coverage(3, 3, vec![])), Grade::Grep);
        assert_eq!(Grade::of_absence(Method::Rule, &coverage(3, 3, vec![])), Grade::AbsentRule);
    }

    #[test]
    fn somebody_elses_words_never_become_a_record() {
        for method in [Method::Record, Method::RecordTwice, Method::Search, Method::Rule] {
            assert_eq!(Grade::of_presence(Source::ThirdParty, method), Grade::ThirdParty);
        }
        assert_eq!(Grade::of_presence(Source::Rule, Method::Record), Grade::Rule);
    }
}
