//! What each family of evidence earns, and what weights fitted on other cases score.

use std::collections::BTreeSet;

use super::cases::Case;
use super::score::{Checker, Scores};
use super::texts::{PointTexts, Tables};
use crate::QueryError;

/// A name, and the points without what it names.
type Family = (&'static str, &'static [(&'static str, f64)]);

/// Families of evidence.
const FAMILIES: &[Family] = &[
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
    ("inert files", &[("structure.inert", 0.0)]),
    ("reverts within the window", &[("structure.reverted", 0.0)]),
    ("core and size", &[("structure.core", 0.0), ("structure.size", 0.0)]),
    ("nothing but additions", &[("structure.adds_only", 0.0)]),
    ("merges with their members", &[("structure.merge", 0.0)]),
    (
        "moved defaults",
        &[
            ("structure.defaults", 0.0),
            ("prior.alone.default_event.*", 0.0),
            ("prior.alone.default_event_unchanged", 0.0),
            ("prior.with_symptom.default_event.*", 0.0),
            ("prior.with_symptom.default_event_unchanged", 0.0),
        ],
    ),
    (
        "classes",
        &[
            ("prior.alone.class.*", 0.0),
            ("prior.alone.class_asked", 0.0),
            ("prior.with_symptom.class.*", 0.0),
            ("prior.with_symptom.class_asked", 0.0),
        ],
    ),
];

/// The name of the family of verdicts, which are left out as a whole.
const VERDICTS: &str = "verdicts";

/// Weights that are fitted.
const FITTED: &[&str] = &[
    "text.points",
    "text.subject",
    "text.body",
    "text.path",
    "text.lines",
    "text.functions",
    "text.literals",
    "text.floor",
    "concept.points",
    "concept.floor",
    "structure.backend",
    "structure.contradiction",
    "structure.area",
    "structure.core",
    "structure.size",
    "prior.alone.default_event.request-option",
    "prior.alone.default_event.other",
    "prior.alone.class.perf",
    "prior.alone.class.attention",
    "prior.alone.class_asked",
    "prior.with_symptom.default_event.request-option",
];

const STEPS: [f64; 4] = [0.5, 0.75, 1.33, 2.0];

/// A gain in the mean reciprocal rank that is more than one of a fold's cases coming from
/// the second place to the first.
const GAIN: f64 = 0.0075;

/// How often all numbers are tried in turn, at most.
const ROUNDS: usize = 3;

/// Where fitting begins: round numbers, alike for all fields. The shipped points have seen
/// the cases, so a fit that began with them would prove nothing.
const PLAIN: &[(&str, f64)] = &[
    ("text.points", 2.0),
    ("text.floor", 10.0),
    ("text.subject", 1.0),
    ("text.body", 1.0),
    ("text.path", 1.0),
    ("text.lines", 1.0),
    ("text.functions", 1.0),
    ("text.literals", 1.0),
    ("concept.points", 2.0),
    ("concept.floor", 10.0),
    ("structure.backend", 1.0),
    ("structure.contradiction", -1.0),
    ("structure.area", 1.0),
    ("structure.core", 0.5),
    ("structure.size", 0.5),
    ("prior.alone.default_event.request-option", 1.0),
    ("prior.alone.default_event.other", 1.0),
    ("prior.alone.class.perf", 0.5),
    ("prior.alone.class.attention", 0.5),
    ("prior.alone.class_asked", 0.5),
    ("prior.with_symptom.default_event.request-option", 0.5),
];

/// A family, and the scores without it.
pub struct Fitted {
    /// What was left out, or fitted.
    pub name: String,
    /// The scores.
    pub scores: Scores,
}

/// The scores without each family of evidence.
///
/// # Errors
/// Where the texts are not of the expected shape.
pub fn ablations(
    cases: &[Case],
    checker: &mut Checker<'_>,
    texts: &PointTexts,
    hindsight: bool,
) -> Result<Vec<Fitted>, QueryError> {
    let tables = texts.tables()?;
    let mut score = |name: &str, tables: &Tables| -> Result<Fitted, QueryError> {
        let ranks = checker.ranks(cases, &tables.points()?, hindsight)?;
        Ok(Fitted { name: name.to_owned(), scores: Scores::of(&ranks) })
    };
    let mut out = Vec::new();
    for (name, to) in FAMILIES {
        out.push(score(name, &changed(&tables, to))?);
    }
    let mut without = tables.clone();
    without.verdicts = false;
    out.push(score(VERDICTS, &without)?);
    Ok(out)
}

/// The points with some of them changed; a key that is not there changes nothing.
fn changed(tables: &Tables, to: &[(&str, f64)]) -> Tables {
    to.iter()
        .fold(tables.clone(), |tables, (key, value)| tables.with(key, *value).unwrap_or(tables))
}

/// Fits the points on all folds but one and scores that one, for each; cases of one
/// culprit stay together. Gives the scores over all cases, each ranked by points that were
/// fitted without its group.
///
/// # Errors
/// Where the texts are not of the expected shape.
pub fn cross_validate(
    cases: Vec<Case>,
    checker: &mut Checker<'_>,
    texts: &PointTexts,
    folds: usize,
    mut told: impl FnMut(&str),
) -> Result<(Scores, Vec<Case>), QueryError> {
    let tables = changed(&texts.tables()?, PLAIN);
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
        let best = fit(&train, checker, &tables)?;
        let found = checker.ranks(&test, &best.points()?, false)?;
        let moved: Vec<String> = FITTED
            .iter()
            .filter(|key| best.value(key) != tables.value(key))
            .map(|key| format!("{key} {:.2}", best.value(key).unwrap_or_default()))
            .collect();
        told(&format!("fold {}: {}; {}", fold + 1, Scores::of(&found), moved.join(", ")));
        ranks.extend(found);
        cases = train;
        cases.extend(test);
    }
    Ok((Scores::of(&ranks), cases))
}

/// Coordinate descent: each number in turn is set to the best of a few multiples, where
/// that gains more than noise, until none does.
fn fit(train: &[Case], checker: &mut Checker<'_>, tables: &Tables) -> Result<Tables, QueryError> {
    let mut score = |tables: &Tables| -> Result<f64, QueryError> {
        let scores = Scores::of(&checker.ranks(train, &tables.points()?, false)?);
        Ok(scores.mrr + 0.1 * scores.at_5)
    };
    let mut best = tables.clone();
    let mut best_score = score(&best)?;
    for _ in 0..ROUNDS {
        let before = best_score;
        for key in FITTED {
            let Some(now) = best.value(key) else { continue };
            for step in STEPS {
                let Some(tried) = best.with(key, now * step) else { continue };
                let tried_score = score(&tried)?;
                if tried_score > best_score + GAIN {
                    (best, best_score) = (tried, tried_score);
                }
            }
        }
        if best_score <= before {
            break;
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_and_every_fitted_number_exists() {
        let tables = PointTexts::shipped().tables().unwrap();
        for (key, _) in FAMILIES.iter().flat_map(|(_, to)| to.iter()) {
            assert!(tables.with(key, 0.0).is_some(), "{key}");
        }
        for key in FITTED {
            assert!(tables.value(key).is_some(), "{key}");
            assert!(PLAIN.iter().any(|(plain, _)| plain == key), "{key} has no plain value");
        }
        let without = changed(&tables, &[("text.points", 0.0), ("prior.verdict.*", 0.0)]);
        assert_eq!(without.value("text.points"), Some(0.0));
        assert_eq!(without.value("prior.verdict.inert"), Some(0.0));
        assert_eq!(without.points().unwrap().weights.text.points, 0.0);
        assert!(tables.with("prior.no.such", 1.0).is_none());
    }
}
