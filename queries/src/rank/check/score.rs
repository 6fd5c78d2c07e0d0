//! Ranks of the answers, and what they come to.

use serde::Serialize;

use super::cases::Case;
use crate::rank::{Candidate, Facets, QuestionReader, Ranking, Weights, rank};

/// Where a case's answer was ranked.
#[derive(Debug, Clone)]
pub struct CaseRank {
    /// The rank, from 1; none where the answer is not in the window.
    pub rank: Option<usize>,
    /// The ranking.
    pub ranking: Ranking,
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

/// Ranks every case; what commits after the window say counts with `hindsight` alone.
pub fn evaluate(
    cases: &[Case],
    facets: &Facets,
    reader: &mut QuestionReader<'_>,
    weights: &Weights,
    hindsight: bool,
) -> Vec<CaseRank> {
    cases
        .iter()
        .map(|case| {
            let question = reader.read(&case.query, weights);
            let candidates: Vec<Candidate<'_>> = case
                .commits
                .iter()
                .zip(&case.later)
                .map(|(commit, later)| Candidate {
                    later: if hindsight { later } else { &[] },
                    ..Candidate::new(commit, &case.corpus)
                })
                .collect();
            let ranking = rank(&question, &candidates, facets, weights);
            let rank = ranking.commits.iter().position(|c| case.answers.contains(&c.oid));
            CaseRank { rank: rank.map(|at| at + 1), ranking }
        })
        .collect()
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
