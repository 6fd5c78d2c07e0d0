//! Which commits of a window deserve to be read first: a sum of points that a
//! person can read, made of words, concepts and what the changed files are.
//! Where a commit stands in its window never counts.

mod asked;
mod clauses;
mod concepts;
mod corpus;
mod encode;
mod facets;
mod features;
mod mentions;
mod model_name;
mod pattern;
mod question;
mod score;
mod silent;
pub mod stored;
#[cfg(test)]
mod tests;
mod tokens;
mod weights;
mod within;
pub mod words;

pub use asked::PhasePaths;
pub use clauses::{Clause, ClauseKind, Clauses};
pub use concepts::{Concept, ConceptRule, Concepts, Meaning};
pub use corpus::CorpusStats;
pub use encode::{decode, encode};
pub use facets::{AreaRule, BackendRule, Facets, FileFacets, FileRules, InertRule};
pub use features::{CommitFeatures, Field, Reader, Terms};
pub use mentions::{Mention, MentionKind, MentionTarget, Mentions};
pub use model_name::{ModelName, ModelNames};
pub use question::{Query, Question, QuestionConcept, QuestionReader, QuestionTerm};
pub use score::{Candidate, Later, Outlook, Ranked, Ranking, Reason, ReasonKind, Scale, rank};
pub use tokens::{TermId, Tokenizer, term_id};
pub use weights::{FieldWeights, HindsightWeights, StructureWeights, TextWeights, Weights};
pub use within::is_meant;

/// A data file of the ranking that is not what it should be.
#[derive(Debug, thiserror::Error)]
pub enum RulesError {
    /// No valid TOML, or not of the expected shape.
    #[error("a ranking rule file is not valid: {0}")]
    Toml(#[from] toml::de::Error),
    /// An invalid regular expression.
    #[error("a ranking rule holds an invalid pattern: {0}")]
    Pattern(#[from] regex::Error),
    /// An invalid regular expression among several.
    #[error("a ranking rule holds an invalid pattern: {0}")]
    Set(#[from] Box<regex_automata::meta::BuildError>),
}

/// The hash of every map and of the shape of what is derived with them.
pub fn rules_hash() -> Vec<u8> {
    use sha2::{Digest as _, Sha256};
    let mut hash = Sha256::new();
    hash.update(b"features 6");
    for text in facets::MAPS {
        hash.update(text.as_bytes());
        hash.update([0]);
    }
    hash.finalize().to_vec()
}
