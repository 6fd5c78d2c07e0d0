//! Patterns of the data files, compiled for ASCII and without regard to case: a question
//! compiles them anew, and Unicode's tables would cost it a third of a second.

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

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

/// The text that a pattern found in a report.
pub(super) fn found(pattern: &Regex, report: &str) -> Option<String> {
    let range = pattern.find(report.as_bytes())?.range();
    Some(String::from_utf8_lossy(&report.as_bytes()[range]).trim().to_owned())
}
