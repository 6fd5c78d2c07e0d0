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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    class: String,
    what: String,
    words: String,
}

/// The absences of a window: for each class that no commit has, that no rule fired; and
/// where no changed line holds the class's words either, that, which is stronger.
/// `moved` tells whether the ledger knows of a default that moved.
pub(super) fn of(
    window: &Collected<'_>,
    labels: &[Vec<Label>],
    moved: bool,
) -> Result<Vec<Absence>, QueryError> {
    let file: File = toml::from_str(FILE).map_err(|error| QueryError::Rules {
        file: "absences.toml".to_owned(),
        why: error.to_string(),
    })?;
    let coverage = &window.report.coverage;
    let (upstream, range) =
        (&window.upstream.name, format!("{}..{}", window.report.base, window.report.head));
    let mut absences = Vec::new();
    for Question { class, what, words } in file.absence {
        let fired = labels.iter().flatten().any(|label| label.class == class);
        if fired || (moved && class == "default-change") {
            continue;
        }
        let regex = Regex::new(&words).map_err(|e| QueryError::Pattern(e.to_string()))?;
        let holds = window.patches.iter().filter(|patch| {
            let files = &patch.patch().files;
            let plain = !patch.stored().commit().is_merge();
            plain && files.iter().any(|f| f.changed_lines().any(|line| regex.is_match(line.text)))
        });
        let holding = holds.count();
        let mut rederive = vec![
            format!("headwater classify {upstream} --window {range} --class {class}"),
            format!("headwater grep -e '{words}' --upstream {upstream} {range}"),
            format!(
                "git log --no-merges --oneline --extended-regexp -G'{words}' {}..{}",
                window.report.base_sha, window.report.head_sha
            ),
        ];
        let (claim, method) = match holding {
            0 => {
                rederive.rotate_left(1);
                (
                    format!(
                        "{upstream} {range} holds no {what}: no changed line has its words, and no commit is classed {class}"
                    ),
                    Method::Search,
                )
            }
            n => {
                rederive.truncate(1);
                (
                    format!(
                        "no commit of {upstream} {range} is classed {class}: no rule for {what} fired, which is weaker than a search ({n} commits hold words of it)"
                    ),
                    Method::Rule,
                )
            }
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
            Regex::new(&question.words).unwrap();
            assert!(!question.words.contains('\''), "{}", question.words);
        }
    }
}
