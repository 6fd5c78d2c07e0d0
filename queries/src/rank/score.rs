//! The sum: words, concepts, and what the changed files are.

use std::cmp::Ordering;

use headwater_store::Oid;
use schemars::JsonSchema;
use serde::Serialize;

use super::corpus::CorpusStats;
use super::facets::Facets;
use super::features::{CommitFeatures, Field};
use super::mentions::MentionKind;
use super::question::{Question, QuestionConcept};
use super::tokens::TermId;
use super::weights::Weights;
use super::within;

/// What kind of evidence a reason is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReasonKind {
    /// Words of the symptom.
    Words,
    /// What the words mean in the field.
    Concept,
    /// The backend in question.
    Backend,
    /// Another backend alone.
    OtherBackend,
    /// The part of the program in question.
    Part,
    /// Files that nothing running reads.
    InertFiles,
    /// Files that every model goes through.
    Core,
    /// How large it is.
    Size,
    /// It adds, and leaves what was there.
    AddsOnly,
    /// Taken back within the window.
    Undone,
    /// A default that moves.
    Default,
    /// It came through a pin.
    Nested,
    /// A later commit takes it back.
    RevertedLater,
    /// A later commit names it as the cause of what it mends.
    BlamedLater,
    /// A later commit names it.
    NamedLater,
    /// A measurement of the user's.
    Measured,
    /// A merge, by the best of what it merges.
    Merge,
    /// Its message names the model's family.
    Family,
    /// Words of the symptom in its pull request's text: a third party's.
    PullText,
    /// What rules say that it is about.
    Class,
    /// It is ruled out.
    RuledOut,
    /// A moved pin, by what that brings.
    Pin,
}

/// One part of a score, in words.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Reason {
    /// What kind of evidence it is.
    pub kind: ReasonKind,
    /// Its points; negative where it speaks against the commit.
    pub points: f64,
    /// What it says.
    pub words: String,
    /// What it rests on: matched words, files, commits.
    pub evidence: Vec<String>,
}

/// One commit with its score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranked {
    /// The commit.
    pub oid: Oid,
    /// The sum of its reasons' points.
    pub score: f64,
    /// Its reasons, largest first.
    pub reasons: Vec<Reason>,
    /// It changes nothing that can have an effect on what was asked.
    pub inert: bool,
    /// It is about another backend alone.
    pub contradicted: bool,
}

/// What a later commit says of a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Later {
    /// The later commit.
    pub by: Oid,
    /// Why it names the candidate.
    pub kind: MentionKind,
    /// How a reader knows it: its first tag or build, or its date.
    pub place: String,
}

/// A commit to rank, with what is known besides it.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// The commit.
    pub commit: &'a CommitFeatures,
    /// How rare words are in its upstream.
    pub corpus: &'a CorpusStats,
    /// What commits after the window say of it; empty where that may not count.
    pub later: &'a [Later],
    /// The knobs whose defaults it moves.
    pub defaults: &'a [String],
    /// The commit of the window that puts its files back, where one does.
    pub undone_by: Option<Oid>,
    /// It is of another upstream than the one asked about, and came through a pin.
    pub nested: bool,
}

impl<'a> Candidate<'a> {
    /// A candidate of which nothing else is known.
    pub fn new(commit: &'a CommitFeatures, corpus: &'a CorpusStats) -> Self {
        Candidate { commit, corpus, later: &[], defaults: &[], undone_by: None, nested: false }
    }
}

/// What a window holds for a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outlook {
    /// At least one commit speaks of what was asked.
    Open,
    /// Nothing speaks of what was asked: the order rests on files and size.
    Faint,
    /// Nothing in the window can have an effect.
    Nothing,
}

/// A ranked window.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranking {
    /// All candidates, best first.
    pub commits: Vec<Ranked>,
    /// What the window holds.
    pub outlook: Outlook,
    /// How well the best commit meets the words of the question: 0 not at all, 1 as well
    /// as a commit that is about it does.
    pub met: f64,
    /// What others are measured against to stand beside these.
    pub scale: Scale,
}

/// The matches to which a window's commits are in proportion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Scale {
    /// Of words.
    pub text: f64,
    /// Of concepts.
    pub concept: f64,
}

/// What a match of words came to.
#[derive(Debug, Clone, Default)]
struct Match {
    sum: f64,
    parts: Vec<(f64, String)>,
}

/// Ranks commits by what is known, best first.
pub fn rank(
    question: &Question,
    candidates: &[Candidate<'_>],
    facets: &Facets,
    weights: &Weights,
) -> Ranking {
    let text: Vec<Match> = candidates.iter().map(|c| text_match(question, *c, weights)).collect();
    let concept: Vec<Match> =
        candidates.iter().map(|c| concept_match(question, *c, weights)).collect();
    let best = |all: &[Match]| all.iter().map(|m| m.sum).fold(0.0, f64::max);
    let (best_text, best_concept) = (best(&text), best(&concept));
    let speaks = best_text > 0.0 || best_concept > 0.0;
    let undone = within::reverted(candidates);
    let mut commits: Vec<Ranked> = candidates
        .iter()
        .zip(text.into_iter().zip(concept))
        .map(|(candidate, (text, concept))| {
            let mut reasons = Vec::new();
            let points = weights.text.points * part(text.sum, best_text.max(weights.text.floor));
            told(&mut reasons, ReasonKind::Words, text, points, "words of the symptom");
            let floor = best_concept.max(weights.concept.floor);
            let points = weights.concept.points * part(concept.sum, floor);
            told(&mut reasons, ReasonKind::Concept, concept, points, "speaks of");
            let (inert, contradicted) =
                structure(&mut reasons, question, candidate.commit, facets, weights);
            facts(&mut reasons, question, candidate, weights);
            // What the files show outweighs what a message says: nothing of it is left.
            let told = undone.get(&candidate.commit.oid).map(|by| (*by, 1.0, ""));
            let shown = candidate.undone_by.map(|by| (by, 2.0, ", by its files"));
            if let Some((by, times, how)) = shown.or(told) {
                push(
                    &mut reasons,
                    ReasonKind::Undone,
                    times * weights.structure.reverted,
                    format!("undone within the window ({}){how}", by.short()),
                    vec![by.to_string()],
                );
            }
            Ranked { oid: candidate.commit.oid, score: 0.0, reasons, inert, contradicted }
        })
        .collect();
    commits.iter_mut().for_each(settle);
    within::merges(candidates, &mut commits, weights);
    commits.iter_mut().for_each(settle);
    commits.sort_by(|a, b| descending(a.score, b.score).then(a.oid.cmp(&b.oid)));
    let outlook = if commits.iter().all(|c| c.inert || c.contradicted) {
        Outlook::Nothing
    } else if speaks || question.is_empty() {
        Outlook::Open
    } else {
        Outlook::Faint
    };
    // Squared, since the middle of the scale is met by chance in any large window.
    let met = part(best_text, weights.text.floor).min(1.0).powi(2);
    let scale = Scale { text: best_text, concept: best_concept };
    Ranking { commits, outlook, met, scale }
}

/// Sums the reasons up and puts the largest first.
fn settle(commit: &mut Ranked) {
    commit.reasons.sort_by(|a, b| descending(a.points.abs(), b.points.abs()));
    commit.score = commit.reasons.iter().map(|reason| reason.points).sum();
}

pub(super) fn push(
    reasons: &mut Vec<Reason>,
    kind: ReasonKind,
    points: f64,
    words: String,
    evidence: Vec<String>,
) {
    if points != 0.0 {
        reasons.push(Reason { kind, points, words, evidence });
    }
}

pub(super) fn descending(a: f64, b: f64) -> Ordering {
    b.partial_cmp(&a).unwrap_or(Ordering::Equal)
}

/// The part of the window's best that a sum comes to.
fn part(sum: f64, best: f64) -> f64 {
    if sum <= 0.0 || best <= 0.0 { 0.0 } else { sum / best }
}

fn told(reasons: &mut Vec<Reason>, kind: ReasonKind, found: Match, points: f64, what: &str) {
    let mut parts = found.parts;
    parts.sort_by(|a, b| descending(a.0, b.0));
    parts.truncate(5);
    let evidence: Vec<String> = parts.into_iter().map(|part| part.1).collect();
    push(reasons, kind, points, format!("{what}: {}", evidence.join(", ")), evidence);
}

fn bm25(corpus: &CorpusStats, weights: &Weights, field: Field, len: u32, count: f64) -> f64 {
    let b = weights.text.b(field);
    let relative_len = f64::from(len) / corpus.mean_len(field);
    count * (weights.text.k1 + 1.0) / (count + weights.text.k1 * (1.0 - b + b * relative_len))
}

fn text_match(question: &Question, candidate: Candidate<'_>, weights: &Weights) -> Match {
    let mut out = Match::default();
    let corpus = candidate.corpus;
    let subject = candidate.commit.fields.first();
    let says_less = subject.is_some_and(|s| question.less.iter().any(|id| s.count(*id) > 0));
    for term in &question.terms {
        // Less of what helps when it is gone helps too: it is not what broke things.
        let opposed = says_less
            && question.helps.contains(&term.id)
            && subject.is_some_and(|subject| subject.count(term.id) > 0);
        let weight_of_term = term.weight * if opposed { weights.text.opposed } else { 1.0 };
        let (mut sum, mut best) = (0.0, (0.0, Field::Subject));
        for (field, terms) in Field::ALL.into_iter().zip(&candidate.commit.fields) {
            let weight = weights.text.field(field);
            let count = terms.count(term.id);
            if count == 0 || weight == 0.0 {
                continue;
            }
            let idf = corpus.term_idf(field, term.id);
            let part = weight
                * weight_of_term
                * idf
                * bm25(corpus, weights, field, terms.len, f64::from(count));
            sum += part;
            if part > best.0 {
                best = (part, field);
            }
        }
        if sum > 0.0 {
            out.sum += sum;
            out.parts.push((sum, format!("{} ({})", term.term, best.1.words())));
        }
    }
    out
}

fn concept_match(question: &Question, candidate: Candidate<'_>, weights: &Weights) -> Match {
    let mut out = Match::default();
    for concept in &question.concepts {
        let (sum, words) = one_concept(concept, candidate, weights);
        if sum > 0.0 {
            out.sum += sum;
            out.parts.push((sum, format!("{} ({words})", concept.name)));
        }
    }
    out
}

fn one_concept(
    concept: &QuestionConcept,
    candidate: Candidate<'_>,
    weights: &Weights,
) -> (f64, String) {
    let corpus = candidate.corpus;
    let mut sum = 0.0;
    let mut best = (0.0, String::new());
    for (field, terms) in Field::ALL.into_iter().zip(&candidate.commit.fields) {
        let weight = weights.concept.field(field);
        if weight == 0.0 {
            continue;
        }
        // The rarest of the words that are met counts for the field.
        let met = concept
            .meanings
            .iter()
            .filter(|m| !m.terms.is_empty() && m.terms.iter().all(|id| terms.count(*id) > 0))
            .map(|m| {
                let idf = |id: &TermId| corpus.term_idf(field, *id);
                (m.terms.iter().map(idf).fold(0.0, f64::max), m)
            })
            .max_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal));
        if let Some((idf, meaning)) = met {
            sum += weight * idf;
            if weight * idf > best.0 {
                best = (weight * idf, format!("{} in {}", meaning.words, field.words()));
            }
        }
    }
    (sum, best.1)
}

/// Of a change with more lines than this is asked whether it only adds.
const ADDED: u32 = 20;
/// It does where it takes away no more than one line of so many that it adds.
const KEPT: u32 = 33;

/// What the changed files are; whether they are inert, and whether they are
/// another backend's alone.
fn structure(
    reasons: &mut Vec<Reason>,
    question: &Question,
    commit: &CommitFeatures,
    facets: &Facets,
    weights: &Weights,
) -> (bool, bool) {
    let weights = &weights.structure;
    let mut contradicted = false;
    if question.wanted != 0 {
        let touched = (commit.files.backends | commit.named) & question.asked;
        if touched != 0 {
            let names = facets.backend_names(touched).join(", ");
            push(
                reasons,
                ReasonKind::Backend,
                weights.backend,
                format!("the backend in question: {names}"),
                vec![],
            );
        }
        let cpu = facets.backend_bit("cpu").map_or(0, |at| 1u32 << at);
        let allowed = question.wanted | if question.offload { cpu } else { 0 };
        let elsewhere = commit.files.backends != 0
            && commit.files.backends & allowed == 0
            && commit.files.core == 0;
        let headed = commit.headed != 0 && commit.headed & allowed == 0;
        contradicted = elsewhere || headed;
        if contradicted {
            let other = if headed { commit.headed } else { commit.files.backends };
            let names = facets.backend_names(other).join(", ");
            push(
                reasons,
                ReasonKind::OtherBackend,
                weights.contradiction,
                format!("another backend: {names}"),
                vec![],
            );
        }
    }
    let areas = commit.files.areas & question.areas;
    if areas != 0 {
        let names = facets.area_names(areas).join(", ");
        push(
            reasons,
            ReasonKind::Part,
            weights.area,
            format!("the part in question: {names}"),
            vec![],
        );
    }
    let inert = commit.files.count > 0
        && commit.files.inert_count == commit.files.count
        && commit.files.inert & question.live == 0;
    if inert {
        let names = facets.inert_names(commit.files.inert).join(", ");
        push(
            reasons,
            ReasonKind::InertFiles,
            weights.inert,
            format!("nothing but {names}"),
            vec![],
        );
    }
    let core = f64::from(commit.files.core.min(2)) / 2.0;
    push(
        reasons,
        ReasonKind::Core,
        weights.core * core,
        "files that every model goes through".to_owned(),
        vec![],
    );
    let log = |n: u32, scale: f64| ((1.0 + f64::from(n)).ln() / scale).min(1.0);
    let size =
        (log(commit.lines, 6.2) + log(commit.conditions, 4.0) + log(commit.files.count, 2.5)) / 3.0;
    let words = format!("{} lines in {} files", commit.lines, commit.files.count);
    push(reasons, ReasonKind::Size, weights.size * size, words, vec![]);
    let (added, removed) = commit.live;
    if added.saturating_add(removed) > ADDED && removed <= added / KEPT {
        push(
            reasons,
            ReasonKind::AddsOnly,
            weights.adds_only,
            format!("adds {added} lines and takes {removed} away: what was there stays"),
            vec![],
        );
    }
    (inert, contradicted)
}

/// Moved defaults, and what later commits say.
fn facts(
    reasons: &mut Vec<Reason>,
    question: &Question,
    candidate: &Candidate<'_>,
    weights: &Weights,
) {
    if !candidate.defaults.is_empty() && question.defaults {
        let knobs = candidate.defaults.join(", ");
        push(
            reasons,
            ReasonKind::Default,
            weights.structure.defaults,
            format!("moves a default: {knobs}"),
            candidate.defaults.to_vec(),
        );
    }
    if candidate.nested {
        push(
            reasons,
            ReasonKind::Nested,
            weights.structure.nested,
            "came through a pin".to_owned(),
            vec![],
        );
    }
    let weights = &weights.hindsight;
    for (kind, reason, points, words) in [
        (MentionKind::Revert, ReasonKind::RevertedLater, weights.revert, "reverted by"),
        (MentionKind::Cause, ReasonKind::BlamedLater, weights.cause, "named as the cause by"),
        (MentionKind::Named, ReasonKind::NamedLater, weights.named, "mentioned by"),
    ] {
        let Some(first) = candidate.later.iter().find(|later| later.kind == kind) else { continue };
        let evidence =
            candidate.later.iter().filter(|l| l.kind == kind).map(|l| l.by.to_string()).collect();
        push(
            reasons,
            reason,
            points,
            format!("{words} {} {}", first.by.short(), first.place).trim().to_owned(),
            evidence,
        );
        break;
    }
}
