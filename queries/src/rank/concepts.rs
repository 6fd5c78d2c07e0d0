//! The field's concepts: what reports say, and what commits call it.

use serde::Deserialize;

use super::RulesError;
use super::pattern::{QuestionSet, compile, found};
use super::tokens::{TermId, Tokenizer, term_id};

const CONCEPTS: &str = include_str!("../../rules/rank/concepts.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    concept: Vec<ConceptRule>,
}

/// One concept as the data file holds it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConceptRule {
    /// Its name in reasons.
    pub name: String,
    /// Words of a report.
    pub asks: String,
    /// Words of a commit.
    pub means: Vec<String>,
    /// Reports that ask for it.
    pub must: Vec<String>,
    /// Reports that do not.
    pub must_not: Vec<String>,
    /// A line of a commit that is about it.
    pub meets: String,
}

/// One way in which a commit speaks of a concept: all these terms in one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meaning {
    /// As the data file writes it.
    pub words: String,
    /// The terms.
    pub terms: Vec<TermId>,
}

/// One concept, ready to be matched.
#[derive(Debug, Clone)]
pub struct Concept {
    /// The rule.
    pub rule: ConceptRule,
    /// What commits call it.
    pub meanings: Vec<Meaning>,
}

/// All concepts.
#[derive(Debug)]
pub struct Concepts {
    all: Vec<Concept>,
    asks: QuestionSet,
}

impl Concepts {
    /// The concepts that ship with the binary.
    ///
    /// # Errors
    /// Where the file is no valid TOML or holds an invalid pattern.
    pub fn shipped(tokenizer: &mut Tokenizer) -> Result<Self, RulesError> {
        Self::parse(CONCEPTS, tokenizer)
    }

    /// Concepts from the text of a data file.
    ///
    /// # Errors
    /// Where the text is no valid TOML or holds an invalid pattern.
    pub fn parse(text: &str, tokenizer: &mut Tokenizer) -> Result<Self, RulesError> {
        let file: File = toml::from_str(text)?;
        let asks = QuestionSet::new(file.concept.iter().map(|rule| rule.asks.as_str()))?;
        let all = file
            .concept
            .into_iter()
            .map(|rule| {
                let meanings = rule.means.iter().map(|means| meaning(means, tokenizer)).collect();
                Concept { rule, meanings }
            })
            .collect();
        Ok(Concepts { all, asks })
    }

    /// The concepts that a report asks for, each with the words that asked.
    ///
    /// # Errors
    /// Where a pattern is not valid.
    pub fn asked<'a>(&'a self, report: &str) -> Result<Vec<(&'a Concept, String)>, RulesError> {
        let mut out = Vec::new();
        for at in self.asks.matching(report) {
            let Some(concept) = self.all.get(at) else { continue };
            let words = found(&compile(&concept.rule.asks)?, report);
            out.push((concept, words.unwrap_or_default()));
        }
        Ok(out)
    }

    /// The concept of this name.
    pub fn named(&self, name: &str) -> Option<&Concept> {
        self.all.iter().find(|concept| concept.rule.name == name)
    }

    /// All of them.
    pub fn all(&self) -> &[Concept] {
        &self.all
    }
}

/// A whole identifier counts as one term (its last cut), words as one each.
fn meaning(words: &str, tokenizer: &mut Tokenizer) -> Meaning {
    let terms = words
        .split_whitespace()
        .filter_map(|word| tokenizer.terms(word).pop())
        .map(|term| term_id(&term))
        .collect();
    Meaning { words: words.to_owned(), terms }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::Facets;

    #[test]
    fn a_trait_of_a_model_family_is_a_concept() {
        let concepts = Concepts::shipped(&mut Facets::shipped().unwrap().tokenizer()).unwrap();
        let names = crate::rank::ModelNames::shipped().unwrap();
        for model in ["gpt-oss:20b", "llava:7b", "rwkv7-1.5B", "nomic-embed-text"] {
            for name in names.parse(model).concepts {
                assert!(concepts.named(&name).is_some(), "{name}");
            }
        }
    }

    #[test]
    fn every_entry_is_guarded_by_its_examples() {
        let mut tokenizer = Facets::shipped().unwrap().tokenizer();
        let concepts = Concepts::shipped(&mut tokenizer).unwrap();
        let mut failed = Vec::new();
        for concept in concepts.all() {
            let name = &concept.rule.name;
            let asks = |report: &str| {
                concepts.asked(report).unwrap().iter().any(|(found, _)| found.rule.name == *name)
            };
            let mut check = |holds: bool, what: String| {
                if !holds {
                    failed.push(format!("{name}: {what}"));
                }
            };
            check(!concept.rule.must.is_empty(), "no example".to_owned());
            for report in &concept.rule.must {
                check(asks(report), format!("must be asked for by {report:?}"));
            }
            for report in &concept.rule.must_not {
                check(!asks(report), format!("must not be asked for by {report:?}"));
            }
            let found: Vec<TermId> =
                tokenizer.terms(&concept.rule.meets).iter().map(|term| term_id(term)).collect();
            let meets =
                concept.meanings.iter().any(|m| m.terms.iter().all(|term| found.contains(term)));
            check(meets, format!("does not meet {:?}", concept.rule.meets));
            for meaning in &concept.meanings {
                check(!meaning.terms.is_empty(), format!("{:?} has no term", meaning.words));
            }
        }
        assert!(failed.is_empty(), "{failed:#?}");
    }
}
