//! Words of a symptom in the texts of pull requests.

use std::collections::BTreeSet;

use headwater_store::{StatementKind, Store, StoredCommit, UpstreamId};

use super::WhyQuestion;
use super::said::PullSource;
use crate::QueryError;
use crate::rank::Facets;

/// Shorter words say little.
const SHORTEST: usize = 4;

/// The words of a symptom that are worth finding.
pub(super) struct SymptomWords(BTreeSet<String>);

impl SymptomWords {
    /// Those of a question; none where no symptom was given.
    pub(super) fn of(question: &WhyQuestion, facets: &Facets) -> Option<Self> {
        let symptom = question.symptom.as_deref()?;
        let stop: BTreeSet<&str> = facets.stop_words().collect();
        let mut words = words(symptom);
        words.retain(|word| word.chars().count() >= SHORTEST && !stop.contains(word.as_str()));
        (!words.is_empty()).then_some(SymptomWords(words))
    }

    /// Those that the text of a commit's pull request has, and its message has not.
    pub(super) fn of_commit(
        &self,
        store: &Store,
        upstream: UpstreamId,
        stored: &StoredCommit,
    ) -> Result<Vec<String>, QueryError> {
        let commit = stored.commit();
        let (number, _) = PullSource::known(store, stored)?;
        let Some(number) = number else { return Ok(Vec::new()) };
        let seen = store.statement(upstream, StatementKind::Pull, &number.to_string())?;
        let Some(pull) = seen.last() else { return Ok(Vec::new()) };
        let text = words(&pull.said.body);
        let known = words(&commit.message);
        let told = self.0.iter().filter(|word| text.contains(*word) && !known.contains(*word));
        Ok(told.cloned().collect())
    }
}

fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
