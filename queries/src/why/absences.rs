//! What was looked for and not found: by rule, and by exact search over the window's own
//! lines, merges left out as git leaves them out. Data: `rules/absences.toml`.

use headwater_store::evidence::{Absence, Method};
use headwater_store::model::Label;
use regex::bytes::Regex;
use serde::Deserialize;

use super::collect::Collected;
use crate::QueryError;

const FILE: &str = include_str!("../../rules/absences.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    absence: Vec<Question>,
}

/// What a report looks for, where no commit has its class.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    pub(crate) class: String,
    pub(crate) what: String,
    /// What a search for it looks for; without them a rule alone can tell.
    pub(crate) words: Option<String>,
}

/// The questions of the data file.
pub(crate) fn questions() -> Result<Vec<Question>, QueryError> {
    let file: File = toml::from_str(FILE).map_err(|error| QueryError::Rules {
        file: "absences.toml".to_owned(),
        why: error.to_string(),
    })?;
    Ok(file.absence)
}

/// The absences of a window: for each class that no commit has, that no rule fired; and
/// where no changed line holds the class's words either, that, which is stronger.
/// `moved` tells whether the ledger knows of a default that moved.
pub(super) fn of(
    window: &Collected<'_>,
    labels: &[Vec<Label>],
    moved: bool,
) -> Result<Vec<Absence>, QueryError> {
    let coverage = &window.report.coverage;
    let (upstream, range) =
        (&window.upstream.name, format!("{}..{}", window.report.base, window.report.head));
    let mut absences = Vec::new();
    // Of nothing that was looked at, nothing was found missing.
    if window.report.commits == 0 {
        return Ok(absences);
    }
    for Question { class, what, words } in questions()? {
        let fired = labels.iter().flatten().any(|label| label.class == class);
        if fired || (moved && class == "default-change") {
            continue;
        }
        let by_rule = format!("headwater classify {upstream} --window {range} --class {class}");
        let no_rule = format!(
            "no commit of {upstream} {range} is classed {class}: no rule for {what} fired, which is weaker than a search"
        );
        let Some(words) = words else {
            absences.push(Absence::new(no_rule, Method::Rule, coverage.clone(), vec![by_rule]));
            continue;
        };
        let regex = Regex::new(&words).map_err(|e| QueryError::Pattern(e.to_string()))?;
        let holds = window.patches.iter().filter(|patch| {
            let files = &patch.patch().files;
            let plain = !patch.stored().commit().is_merge();
            plain && files.iter().any(|f| f.changed_lines().any(|line| regex.is_match(line.text)))
        });
        let (claim, method, rederive) = match holds.count() {
            0 => (
                format!(
                    "{upstream} {range} holds no {what}: no changed line has its words, and no commit is classed {class}"
                ),
                Method::Search,
                vec![
                    format!("headwater grep -e '{words}' --upstream {upstream} {range}"),
                    format!(
                        "git log --no-merges --oneline --extended-regexp -G'{words}' {}..{}",
                        window.report.base_sha, window.report.head_sha
                    ),
                    by_rule,
                ],
            ),
            n => (format!("{no_rule} ({n} commits hold words of it)"), Method::Rule, vec![by_rule]),
        };
        absences.push(Absence::new(claim, method, coverage.clone(), rederive));
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
            let Some(words) = question.words else { continue };
            Regex::new(&words).unwrap();
            assert!(!words.contains('\''), "{words}");
        }
    }
}
