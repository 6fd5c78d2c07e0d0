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

/// What a row of an answer rests on, where it is no [`Claim`](super::Claim) with evidence of
/// its own: its grade is a property of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Objects of git's that are stored: which commit a tag names, what a file holds, who is
    /// whose ancestor.
    Objects,
    /// What upstream published beside its code: notes, a tag of a registry.
    Published,
    /// A rule or an extractor that fired.
    Rule,
    /// Rules that looked at everything there is, of which none fired.
    NoRule,
    /// An exact search of everything there is, which found nothing.
    NotFound,
    /// Nothing: what would tell is not stored.
    Lacking,
}

impl Basis {
    /// The grade of what rests on it.
    pub const fn grade(self) -> Grade {
        match self {
            Basis::Objects | Basis::Published => {
                Grade::of_presence(Source::FirstParty, Method::Record)
            }
            Basis::Rule => Grade::of_presence(Source::Rule, Method::Rule),
            Basis::NoRule => Grade::of_search(Method::Rule, true),
            Basis::NotFound => Grade::of_search(Method::Search, true),
            Basis::Lacking => Grade::of_search(Method::Search, false),
        }
    }
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
    pub(crate) const fn of_presence(source: Source, method: Method) -> Self {
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
        Grade::of_search(method, coverage.is_complete())
    }

    /// The grade of what a method did not find in everything there is, or in a part of it.
    const fn of_search(method: Method, complete: bool) -> Self {
        match (complete, method) {
            (false, _) => Grade::AbsentPartial,
            (true, Method::Search) => Grade::Grep,
            (true, _) => Grade::AbsentRule,
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
    fn what_a_row_rests_on_is_its_grade() {
        let of = |basis: Basis| basis.grade().as_str();
        assert_eq!([of(Basis::Objects), of(Basis::Published)], ["record", "record"]);
        assert_eq!([of(Basis::Rule), of(Basis::NoRule)], ["rule", "absent-rule"]);
        assert_eq!([of(Basis::NotFound), of(Basis::Lacking)], ["grep", "absent-partial"]);
    }

    #[test]
    fn somebody_elses_words_never_become_a_record() {
        for method in [Method::Record, Method::RecordTwice, Method::Search, Method::Rule] {
            assert_eq!(Grade::of_presence(Source::ThirdParty, method), Grade::ThirdParty);
        }
        assert_eq!(Grade::of_presence(Source::Rule, Method::Record), Grade::Rule);
    }
}
