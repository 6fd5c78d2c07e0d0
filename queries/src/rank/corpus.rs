//! How rare words are over an upstream's whole history.

use std::collections::HashMap;

use super::features::{CommitFeatures, Field};
use super::tokens::TermId;

/// Counts over all commits of one upstream, for all terms or for those that one
/// question needs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CorpusStats {
    /// Commits counted.
    pub commits: u64,
    /// Terms counted in each field, repeats included.
    pub lens: [u64; 6],
    /// In how many commits a term stands in each field.
    pub df: HashMap<TermId, [u32; 6]>,
}

impl CorpusStats {
    /// Counts one more commit.
    pub fn add(&mut self, commit: &CommitFeatures) {
        self.commits += 1;
        for (at, terms) in commit.fields.iter().enumerate() {
            if let Some(len) = self.lens.get_mut(at) {
                *len += u64::from(terms.len);
            }
            for (id, _) in &terms.counts {
                if let Some(count) = self.df.entry(*id).or_default().get_mut(at) {
                    *count += 1;
                }
            }
        }
    }

    /// The mean number of terms in a field, at least one.
    pub fn mean_len(&self, field: Field) -> f64 {
        let len = self.lens.get(field as usize).copied().unwrap_or(0);
        if self.commits == 0 { 1.0 } else { (len as f64 / self.commits as f64).max(1.0) }
    }

    /// In how many commits the term stands in this field.
    pub fn count(&self, field: Field, id: TermId) -> u32 {
        self.df.get(&id).and_then(|df| df.get(field as usize)).copied().unwrap_or(0)
    }

    /// The inverse document frequency of a term in a field.
    pub fn term_idf(&self, field: Field, id: TermId) -> f64 {
        self.idf(f64::from(self.count(field, id)))
    }

    /// The inverse document frequency for this many commits, never negative.
    pub fn idf(&self, count: f64) -> f64 {
        let commits = (self.commits as f64).max(count);
        (1.0 + (commits - count + 0.5) / (count + 0.5)).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_weigh_more_and_none_weighs_less_than_nothing() {
        let stats = CorpusStats { commits: 1000, ..CorpusStats::default() };
        assert!(stats.idf(1.0) > stats.idf(100.0));
        assert!(stats.idf(1000.0) > 0.0);
        assert!(stats.idf(5000.0).is_finite());
    }
}
