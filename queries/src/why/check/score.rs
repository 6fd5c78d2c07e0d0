//! Ranks of the answers, and what they come to.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use headwater_store::Oid;
use serde::Serialize;

use super::super::score::{Points, Scoring, score};
use super::cases::Case;
use super::texts::PointTexts;
use crate::QueryError;
use crate::rank::{Facets, Question, QuestionReader};

/// A case's commits as `why` ranks them.
#[derive(Debug, Clone)]
pub struct CaseRanking {
    /// Where its answer stands, from 1; none where the answer is not in the window.
    pub rank: Option<usize>,
    /// All commits, best first.
    pub commits: Vec<RankedCommit>,
}

/// A commit of a case.
#[derive(Debug, Clone)]
pub struct RankedCommit {
    /// The commit.
    pub oid: Oid,
    /// The sum of its points.
    pub score: f64,
    /// What is to be thought of it.
    pub verdict: &'static str,
    /// Its points, largest first, each in words.
    pub reasons: Vec<(f64, String)>,
}

/// Parts of cases ranked so high, and the mean of 1/rank.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Scores {
    /// How many cases.
    pub cases: usize,
    /// Ranked first.
    pub at_1: f64,
    /// Among the first three.
    pub at_3: f64,
    /// Among the first five.
    pub at_5: f64,
    /// Among the first ten.
    pub at_10: f64,
    /// The mean reciprocal rank.
    pub mrr: f64,
}

impl Scores {
    /// The scores of these ranks.
    pub fn of(ranks: &[Option<usize>]) -> Self {
        let cases = ranks.len().max(1) as f64;
        let at = |most: usize| {
            ranks.iter().flatten().filter(|rank| **rank <= most).count() as f64 / cases
        };
        Scores {
            cases: ranks.len(),
            at_1: at(1),
            at_3: at(3),
            at_5: at(5),
            at_10: at(10),
            mrr: ranks.iter().flatten().map(|rank| 1.0 / *rank as f64).sum::<f64>() / cases,
        }
    }
}

impl std::fmt::Display for Scores {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "@1 {:.1} %, @3 {:.1} %, @5 {:.1} %, @10 {:.1} %, MRR {:.3} ({} cases)",
            100.0 * self.at_1,
            100.0 * self.at_3,
            100.0 * self.at_5,
            100.0 * self.at_10,
            self.mrr,
            self.cases
        )
    }
}

/// Scores cases.
pub struct Checker<'f> {
    facets: &'f Facets,
    reader: QuestionReader<'f>,
    /// Questions as they were read, by case and by the points that reading takes: to read
    /// one takes longer than to score its window.
    read: HashMap<(String, [u64; 2]), Question>,
}

impl<'f> Checker<'f> {
    /// A checker with these maps.
    ///
    /// # Errors
    /// Where a shipped data file is not valid.
    pub fn new(facets: &'f Facets) -> Result<Self, QueryError> {
        Ok(Checker { facets, reader: QuestionReader::new(facets)?, read: HashMap::new() })
    }

    /// Ranks every case; what commits after the window say counts with `hindsight` alone.
    ///
    /// # Errors
    /// Where the texts are not of the expected shape.
    pub fn rankings(
        &mut self,
        cases: &[Case],
        texts: &PointTexts,
        hindsight: bool,
    ) -> Result<Vec<CaseRanking>, QueryError> {
        let points = texts.tables()?.points()?;
        cases
            .iter()
            .map(|case| {
                let scoring = self.scoring(case, &points, hindsight)?;
                let entries = &case.prepared.entries;
                let commits = scoring.commits.iter().filter_map(|commit| {
                    let oid = entries.get(commit.entry)?.features.oid;
                    let reasons = commit.parts.iter().map(|p| (p.points, p.words.clone()));
                    Some(RankedCommit {
                        oid,
                        score: commit.score,
                        verdict: commit.verdict.as_str(),
                        reasons: reasons.collect(),
                    })
                });
                Ok(CaseRanking { rank: case.rank(&scoring), commits: commits.collect() })
            })
            .collect()
    }

    /// The ranks of the answers.
    pub(super) fn ranks(
        &mut self,
        cases: &[Case],
        points: &Points,
        hindsight: bool,
    ) -> Result<Vec<Option<usize>>, QueryError> {
        cases.iter().map(|case| Ok(case.rank(&self.scoring(case, points, hindsight)?))).collect()
    }

    fn scoring(
        &mut self,
        case: &Case,
        points: &Points,
        hindsight: bool,
    ) -> Result<Scoring, QueryError> {
        let text = &points.weights.text;
        let key = (case.id.clone(), [text.spared.to_bits(), text.remedy.to_bits()]);
        let asked = match self.read.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                new.insert(self.reader.read(&case.prepared.query, &points.weights)?)
            }
        };
        Ok(score(&case.prepared, asked, self.facets, points, hindsight, None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_parts_of_all_cases() {
        let scores = Scores::of(&[Some(1), Some(4), None, Some(20)]);
        assert_eq!((scores.at_1, scores.at_3, scores.at_5, scores.at_10), (0.25, 0.25, 0.5, 0.5));
        assert!((scores.mrr - (1.0 + 0.25 + 0.05) / 4.0).abs() < 1e-12);
        assert_eq!(Scores::of(&[]).mrr, 0.0);
    }
}
