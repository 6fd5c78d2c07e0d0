//! Patterns of the data files, compiled for ASCII and without regard to case: a question
//! compiles them anew, and Unicode's tables would cost it a third of a second.

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::{Input, PatternSet, meta, util::syntax};

use super::RulesError;

/// One pattern.
pub(super) fn compile(pattern: &str) -> Result<Regex, RulesError> {
    Ok(RegexBuilder::new(pattern).unicode(false).case_insensitive(true).build()?)
}

/// Several patterns that are matched at once.
pub(super) fn compile_set<'a>(
    patterns: impl IntoIterator<Item = &'a str>,
) -> Result<RegexSet, RulesError> {
    Ok(RegexSetBuilder::new(patterns).unicode(false).case_insensitive(true).build()?)
}

/// Several patterns that are matched once, against a report of a few sentences: what
/// makes long searches fast costs more to build than it saves there, and is left out.
#[derive(Debug)]
pub(super) struct QuestionSet(meta::Regex);

impl QuestionSet {
    pub(super) fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, RulesError> {
        let patterns: Vec<&str> = patterns.into_iter().collect();
        let config = meta::Config::new()
            .match_kind(regex_automata::MatchKind::All)
            .utf8_empty(false)
            .auto_prefilter(false)
            .onepass(false)
            .dfa(false)
            .hybrid(false)
            .which_captures(WhichCaptures::Implicit);
        let syntax = syntax::Config::new().unicode(false).utf8(false).case_insensitive(true);
        let built = meta::Builder::new().configure(config).syntax(syntax).build_many(&patterns);
        built.map(QuestionSet).map_err(|error| RulesError::Set(Box::new(error)))
    }

    /// The numbers of the patterns that match somewhere, ascending.
    pub(super) fn matching(&self, report: &str) -> Vec<usize> {
        let mut found = PatternSet::new(self.0.pattern_len());
        self.0.which_overlapping_matches(&Input::new(report.as_bytes()), &mut found);
        found.iter().map(|id| id.as_usize()).collect()
    }
}

/// The text that a pattern found in a report.
pub(super) fn found(pattern: &Regex, report: &str) -> Option<String> {
    let range = pattern.find(report.as_bytes())?.range();
    Some(String::from_utf8_lossy(&report.as_bytes()[range]).trim().to_owned())
}
