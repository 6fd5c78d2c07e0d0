//! What was looked for and not found: by rule, and by exact search over the window's own
//! lines. Data: `rules/absences.toml`.

use headwater_store::evidence::{Absence, Method};
use regex::bytes::Regex;
use serde::Deserialize;

use super::collect::Collected;
use crate::QueryError;
use crate::classify::Label;

const FILE: &str = include_str!("../../rules/absences.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    absence: Vec<Question>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    class: String,
    what: String,
    words: String,
}

/// The absences of a window: for each class that no commit has, that no rule fired, and
/// where no changed line holds the class's words either, that too.
pub(super) fn of(
    window: &Collected<'_>,
    labels: &[Vec<Label>],
) -> Result<Vec<Absence>, QueryError> {
    let file: File = toml::from_str(FILE).map_err(|error| QueryError::Rules {
        file: "absences.toml".to_owned(),
        why: error.to_string(),
    })?;
    let coverage = &window.report.coverage;
    let (upstream, range) =
        (&window.upstream.name, format!("{}..{}", window.report.base, window.report.head));
    let mut absences = Vec::new();
    for question in file.absence {
        let fired = labels.iter().flatten().any(|label| label.class == question.class);
        if fired {
            continue;
        }
        absences.push(Absence::new(
            format!(
                "no commit of {upstream} {range} is classed {}: no rule for {} fired, which is weaker than a search",
                question.class, question.what
            ),
            Method::Rule,
            coverage.clone(),
            vec![format!("headwater classify {upstream} --window {range} --class {}", question.class)],
        ));
        let words = Regex::new(&question.words).map_err(|e| QueryError::Pattern(e.to_string()))?;
        let found = window.patches.iter().any(|patch| {
            let files = &patch.patch().files;
            let plain = !patch.stored().commit().is_merge();
            plain && files.iter().any(|f| f.changed_lines().any(|line| words.is_match(line.text)))
        });
        if !found {
            absences.push(Absence::new(
                format!("no changed line of {upstream} {range} matches {}", question.words),
                Method::Search,
                coverage.clone(),
                vec![
                    format!("headwater grep -e '{}' --upstream {upstream} {range}", question.words),
                    format!(
                        "git log --no-merges --oneline --extended-regexp -G'{}' {}..{}",
                        question.words, window.report.base_sha, window.report.head_sha
                    ),
                ],
            ));
        }
    }
    Ok(absences)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_needs_no_quoting() {
        let file: File = toml::from_str(FILE).unwrap();
        assert!(!file.absence.is_empty());
        for question in file.absence {
            Regex::new(&question.words).unwrap();
            assert!(!question.words.contains('\''), "{}", question.words);
        }
    }
}
