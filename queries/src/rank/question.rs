//! A question, and what is read out of it.

use std::sync::Arc;

use super::asked::{AskedFor, Wanted};
use super::clauses::{ClauseKind, Clauses};
use super::concepts::{Concepts, Meaning};
use super::facets::Facets;
use super::tokens::{TermId, term_id};
use super::weights::Weights;
use super::{RulesError, tokens::Tokenizer};

/// What somebody asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// What was seen, in the asker's words.
    pub symptom: String,
    /// The backend, by its name in the map (`cuda`, `hip`, …).
    pub backend: Option<String>,
    /// The model, by any name.
    pub model: Option<String>,
    /// The phase in question: `prefill`, `decode`, `load`.
    pub phase: Option<String>,
    /// What kind of change was seen: `speed`, `output`, …
    pub kind: Option<String>,
}

/// One word of the question.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionTerm {
    /// The term.
    pub term: String,
    /// Its id.
    pub id: TermId,
    /// How much it counts.
    pub weight: f64,
}

/// One concept of the question.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionConcept {
    /// Its name.
    pub name: String,
    /// The words that asked for it.
    pub asked: String,
    /// What commits call it.
    pub meanings: Vec<Meaning>,
}

/// A question, read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Question {
    /// Its words.
    pub terms: Vec<QuestionTerm>,
    /// Its concepts.
    pub concepts: Vec<QuestionConcept>,
    /// The names of the backends in question.
    pub backends: Vec<String>,
    /// Their bits.
    pub asked: u32,
    /// These and the ones they share code with, as bits.
    pub wanted: u32,
    /// Offloading is in play, so that CPU code is no contradiction.
    pub offload: bool,
    /// The symptom speaks of defaults.
    pub defaults: bool,
    /// The areas asked for, as bits.
    pub areas: u32,
    /// Kinds of files that are inert but for this question, as bits.
    pub live: u32,
    /// Words of what makes the trouble go away.
    pub helps: Vec<TermId>,
    /// Words by which a subject says that there is less of a thing than before.
    pub less: Vec<TermId>,
}

impl Question {
    /// Whether nothing was asked for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.concepts.is_empty()
    }

    /// The ids whose statistics are needed.
    pub fn ids(&self) -> impl Iterator<Item = TermId> + '_ {
        let meanings = self.concepts.iter().flat_map(|concept| &concept.meanings);
        self.terms.iter().map(|term| term.id).chain(meanings.flat_map(|m| m.terms.iter().copied()))
    }
}

/// Reads questions.
pub struct QuestionReader<'a> {
    facets: &'a Facets,
    concepts: Arc<Concepts>,
    clauses: Arc<Clauses>,
    asked_for: AskedFor,
    tokenizer: Tokenizer,
}

impl<'a> QuestionReader<'a> {
    /// A reader with these maps.
    ///
    /// # Errors
    /// Where a shipped data file is not valid.
    pub fn new(facets: &'a Facets) -> Result<Self, RulesError> {
        Self::of(facets, facets.concepts()?)
    }

    /// A reader with concepts of the caller's.
    ///
    /// # Errors
    /// Where a shipped data file is not valid.
    pub fn with(facets: &'a Facets, concepts: Concepts) -> Result<Self, RulesError> {
        Self::of(facets, Arc::new(concepts))
    }

    fn of(facets: &'a Facets, concepts: Arc<Concepts>) -> Result<Self, RulesError> {
        let tokenizer = facets.tokenizer();
        let (clauses, asked_for) = (facets.clauses()?, AskedFor::shipped()?);
        Ok(QuestionReader { facets, concepts, clauses, asked_for, tokenizer })
    }

    /// What a question asks for.
    ///
    /// # Errors
    /// Where a shipped pattern is not valid.
    pub fn read(&mut self, query: &Query, weights: &Weights) -> Result<Question, RulesError> {
        let clauses = self.clauses.cut(&query.symptom);
        let mut out = Question::default();
        let mut complaint = String::new();
        let complaints = clauses.iter().filter(|clause| clause.kind == ClauseKind::Complaint);
        let all: Vec<&str> = complaints.map(|clause| clause.text).collect();
        // What is asked of the whole, since the same trouble is told over several clauses.
        let telling = self.clauses.telling(&all.join(". "));
        self.tokenizer.each(&telling, |term| add(&mut out.terms, term, 1.0));
        for clause in &clauses {
            let weight = match clause.kind {
                ClauseKind::Complaint => continue,
                ClauseKind::Spared => weights.text.spared,
                ClauseKind::Remedy => weights.text.remedy,
            };
            let text = match clause.kind {
                ClauseKind::Remedy => self.clauses.helping(clause.text),
                _ => clause.text.to_owned(),
            };
            if clause.kind == ClauseKind::Remedy {
                complaint.push_str(clause.text);
                complaint.push_str(". ");
                self.tokenizer.each(&text, |term| out.helps.push(term_id(term)));
            }
            self.tokenizer.each(&text, |term| add(&mut out.terms, term, weight));
        }
        complaint.push_str(&telling);
        out.backends = match query.backend.as_deref().map(str::trim) {
            Some(name) if !name.is_empty() => vec![name.to_lowercase()],
            _ => self
                .facets
                .hinted(&complaint)?
                .into_iter()
                .map(|(name, _)| name.to_owned())
                .collect(),
        };
        for name in &out.backends {
            out.wanted |= self.facets.wanted(name);
            out.asked |= self.facets.backend_bit(name).map_or(0, |at| 1 << at);
            // The backend is a reason of its own: its words would count twice.
            let words = self.facets.backends.iter().find(|b| b.name == *name);
            let words = self.tokenizer.terms(words.map_or("", |b| b.words.as_str()));
            out.terms.retain(|term| !words.contains(&term.term));
        }
        if self.clauses.everywhere(&query.symptom) {
            out.asked = 0;
        }
        out.terms.retain(|term| term.weight > 0.0);
        out.less = self
            .facets
            .less_words()
            .flat_map(|word| self.tokenizer.terms(word))
            .map(|term| term_id(&term))
            .collect();
        out.concepts = self
            .concepts
            .asked(&complaint)?
            .into_iter()
            .map(|(concept, asked)| QuestionConcept {
                name: concept.rule.name.clone(),
                asked,
                meanings: concept.meanings.clone(),
            })
            .collect();
        let model = match query.model.as_deref() {
            Some(name) => Some(self.facets.models()?.parse(name)),
            None => None,
        };
        for name in model.iter().flat_map(|model| &model.concepts) {
            let known = out.concepts.iter().any(|concept| concept.name == *name);
            if let Some(concept) = self.concepts.named(name).filter(|_| !known) {
                out.concepts.push(QuestionConcept {
                    name: name.clone(),
                    asked: query.model.clone().unwrap_or_default(),
                    meanings: concept.meanings.clone(),
                });
            }
        }
        let by = [
            (query.phase.as_deref(), "phase", AskedFor::by_phase as fn(&_, &_, &_) -> Wanted),
            (query.kind.as_deref(), "kind", AskedFor::by_kind),
        ];
        let (mut areas, mut live) = (0, 0);
        for (name, option, of) in by {
            let Some(name) = name else { continue };
            let wanted = of(&self.asked_for, name, self.facets);
            areas |= wanted.areas;
            live |= wanted.live;
            for concept in wanted.concepts {
                let known = out.concepts.iter().any(|known| known.name == concept);
                if let Some(found) = self.concepts.named(&concept).filter(|_| !known) {
                    out.concepts.push(QuestionConcept {
                        name: concept,
                        asked: format!("--{option} {name}"),
                        meanings: found.meanings.clone(),
                    });
                }
            }
        }
        let asked = |name: &str| out.concepts.iter().any(|concept| concept.name == name);
        out.defaults = asked("changed by default");
        out.offload = asked("weights on the CPU");
        out.areas = self.facets.asked_areas(&complaint) | areas;
        out.live = self.facets.live_inert(&query.symptom) | live;
        Ok(out)
    }
}

fn add(terms: &mut Vec<QuestionTerm>, term: &str, weight: f64) {
    let id = term_id(term);
    match terms.iter_mut().find(|known| known.id == id) {
        Some(known) => known.weight = known.weight.max(weight),
        None => terms.push(QuestionTerm { term: term.to_owned(), id, weight }),
    }
}
