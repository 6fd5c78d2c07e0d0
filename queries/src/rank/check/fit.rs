//! What each family of evidence earns, and what weights fitted on other cases score.

use std::collections::BTreeSet;

use super::cases::Case;
use super::score::{Scores, evaluate};
use crate::QueryError;
use crate::rank::{Facets, QuestionReader, Weights};

/// Families of evidence, and the weights without them.
const FAMILIES: &[(&str, &[(&str, f64)])] = &[
    ("words", &[("text.points", 0.0)]),
    ("words of the subject", &[("text.subject", 0.0)]),
    ("words of the message", &[("text.body", 0.0)]),
    ("words of paths", &[("text.path", 0.0)]),
    ("words of changed lines", &[("text.lines", 0.0)]),
    ("words of functions", &[("text.functions", 0.0)]),
    ("messages in the code", &[("text.literals", 0.0), ("concept.literals", 0.0)]),
    ("clauses", &[("text.spared", 1.0), ("text.remedy", 1.0)]),
    ("concepts", &[("concept.points", 0.0)]),
    ("backend", &[("structure.backend", 0.0)]),
    ("contradiction", &[("structure.contradiction", 0.0)]),
    ("area", &[("structure.area", 0.0)]),
    ("inert", &[("structure.inert", 0.0)]),
    ("reverts within the window", &[("structure.reverted", 0.0)]),
    ("core and size", &[("structure.core", 0.0), ("structure.size", 0.0)]),
    ("merges with their members", &[("structure.merge_of_many", 0.0)]),
];

/// Weights that are fitted.
const FITTED: &[&str] = &[
    "text.points",
    "text.subject",
    "text.body",
    "text.path",
    "text.lines",
    "text.functions",
    "text.literals",
    "concept.points",
    "structure.backend",
    "structure.contradiction",
    "structure.area",
    "structure.core",
    "structure.size",
];

const STEPS: [f64; 4] = [0.5, 0.75, 1.33, 2.0];

/// A family, and the scores without it.
pub struct Fitted {
    /// What was left out, or fitted.
    pub name: String,
    /// The scores.
    pub scores: Scores,
}

/// Weights with some of them changed.
fn changed(weights: &toml::Table, to: &[(&str, f64)]) -> Result<toml::Table, QueryError> {
    let mut table = weights.clone();
    for (key, value) in to {
        let Some((section, name)) = key.split_once('.') else { continue };
        if let Some(section) = table.get_mut(section).and_then(toml::Value::as_table_mut) {
            section.insert(name.to_owned(), toml::Value::Float(*value));
        }
    }
    Ok(table)
}

fn parsed(table: &toml::Table) -> Result<Weights, QueryError> {
    let text = toml::to_string(table).map_err(|error| QueryError::Rules {
        file: "the weights".to_owned(),
        why: error.to_string(),
    })?;
    Ok(Weights::parse(&text)?)
}

fn value(table: &toml::Table, key: &str) -> f64 {
    let Some((section, name)) = key.split_once('.') else { return 0.0 };
    table
        .get(section)
        .and_then(|section| section.get(name))
        .and_then(toml::Value::as_float)
        .unwrap_or(0.0)
}

/// The scores without each family of evidence, with the weights of `text`.
///
/// # Errors
/// Where the text is not of the expected shape.
pub fn ablations(
    cases: &[Case],
    facets: &Facets,
    text: &str,
    hindsight: bool,
) -> Result<Vec<Fitted>, QueryError> {
    let table: toml::Table = toml::from_str(text).map_err(crate::rank::RulesError::from)?;
    let mut reader = QuestionReader::new(facets)?;
    FAMILIES
        .iter()
        .map(|(name, to)| {
            let weights = parsed(&changed(&table, to)?)?;
            let ranks: Vec<_> = evaluate(cases, facets, &mut reader, &weights, hindsight)
                .into_iter()
                .map(|case| case.rank)
                .collect();
            Ok(Fitted { name: (*name).to_owned(), scores: Scores::of(&ranks) })
        })
        .collect()
}

/// Fits the weights on all folds but one and scores that one, for each; cases of one
/// culprit stay together. Gives the scores over all cases, each ranked by weights that
/// were fitted without its group.
///
/// # Errors
/// Where the text is not of the expected shape.
pub fn cross_validate(
    cases: Vec<Case>,
    facets: &Facets,
    text: &str,
    folds: usize,
    mut told: impl FnMut(&str),
) -> Result<(Scores, Vec<Case>), QueryError> {
    let table: toml::Table = toml::from_str(text).map_err(crate::rank::RulesError::from)?;
    let mut reader = QuestionReader::new(facets)?;
    let groups: Vec<String> = cases
        .iter()
        .map(|case| case.culprit.clone())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let fold_of =
        |case: &Case| groups.binary_search(&case.culprit).map_or(0, |at| at % folds.max(1));
    let mut ranks = Vec::new();
    let mut cases = cases;
    for fold in 0..folds.max(1) {
        let (test, train): (Vec<Case>, Vec<Case>) =
            cases.into_iter().partition(|case| fold_of(case) == fold);
        let best = fit(&train, facets, &mut reader, &table)?;
        let weights = parsed(&best)?;
        let found: Vec<_> = evaluate(&test, facets, &mut reader, &weights, false)
            .into_iter()
            .map(|case| case.rank)
            .collect();
        let moved: Vec<String> = FITTED
            .iter()
            .filter(|key| value(&best, key) != value(&table, key))
            .map(|key| format!("{key} {:.2}", value(&best, key)))
            .collect();
        told(&format!("fold {}: {}; {}", fold + 1, Scores::of(&found), moved.join(", ")));
        ranks.extend(found);
        cases = train;
        cases.extend(test);
    }
    Ok((Scores::of(&ranks), cases))
}

/// One round of coordinate descent: each weight in turn is set to the best of a few
/// multiples, where that gains more than noise.
fn fit(
    train: &[Case],
    facets: &Facets,
    reader: &mut QuestionReader<'_>,
    table: &toml::Table,
) -> Result<toml::Table, QueryError> {
    let mut score = |table: &toml::Table| -> Result<f64, QueryError> {
        let weights = parsed(table)?;
        let ranks: Vec<_> = evaluate(train, facets, reader, &weights, false)
            .into_iter()
            .map(|case| case.rank)
            .collect();
        let scores = Scores::of(&ranks);
        Ok(scores.mrr + 0.1 * scores.at_5)
    };
    let mut best = table.clone();
    let mut best_score = score(&best)?;
    for key in FITTED {
        let now = value(&best, key);
        for step in STEPS {
            let tried = changed(&best, &[(key, now * step)])?;
            let tried_score = score(&tried)?;
            if tried_score > best_score + 0.002 {
                (best, best_score) = (tried, tried_score);
            }
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_and_every_fitted_weight_exists() {
        let text = include_str!("../../../rules/rank/weights.toml");
        let table: toml::Table = toml::from_str(text).unwrap();
        let known = |key: &str| {
            let (section, name) = key.split_once('.').unwrap();
            table.get(section).is_some_and(|section| section.get(name).is_some())
        };
        for key in FAMILIES.iter().flat_map(|(_, to)| to.iter().map(|(key, _)| *key)) {
            assert!(known(key), "{key}");
        }
        for key in FITTED {
            assert!(known(key), "{key}");
        }
        let without = parsed(&changed(&table, &[("text.points", 0.0)]).unwrap()).unwrap();
        assert_eq!(without.text.points, 0.0);
    }
}
