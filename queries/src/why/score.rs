//! The score of every commit of a question's windows: words, what is known besides, and
//! verdicts together.

use std::cmp::Ordering;
use std::collections::HashMap;

use headwater_store::Oid;

use super::prepared::{Entry, Prepared};
use super::prior::Prior;
use super::report::Verdict;
use crate::rank::{self, Facets, Question, ReasonKind, Scale, Weights};

/// All points.
#[derive(Debug, Clone)]
pub(super) struct Points {
    /// Of words and files.
    pub(super) weights: Weights,
    /// Of what is known besides, and of verdicts.
    pub(super) prior: Prior,
    /// Verdicts count; that they do not is of use to those alone who ask what they earn.
    pub(super) verdicts: bool,
}

/// A part of a score.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) kind: ReasonKind,
    pub(super) points: f64,
    pub(super) words: String,
}

/// A commit with its score.
#[derive(Debug, Clone)]
pub(super) struct Scored {
    /// Its place among the entries.
    pub(super) entry: usize,
    pub(super) verdict: Verdict,
    /// Why it is ruled out, where it is.
    pub(super) ruled_out: Option<String>,
    pub(super) score: f64,
    /// Largest first.
    pub(super) parts: Vec<Part>,
}

/// The windows' commits, best first.
pub(super) struct Scoring {
    pub(super) commits: Vec<Scored>,
    /// How well the best meets the symptom's words; `None` without a symptom.
    pub(super) met: Option<f64>,
    /// What others are measured against to stand beside these.
    pub(super) scale: Scale,
}

/// Scores every commit. What later commits say counts with `hindsight` alone; with `beside`
/// the commits are measured against those of another window.
pub(super) fn score(
    prepared: &Prepared,
    asked: &Question,
    facets: &Facets,
    points: &Points,
    hindsight: bool,
    beside: Option<&Scoring>,
) -> Scoring {
    let mut weights = points.weights.clone();
    let symptom = !prepared.query.symptom.is_empty();
    if !symptom {
        // The model's name alone is a weak hint at what was seen.
        weights.concept.points *= 0.25;
        // What a later commit blames on it need not be what was seen here.
        weights.hindsight.revert *= 0.5;
        weights.hindsight.cause *= 0.5;
        weights.hindsight.named *= 0.5;
    }
    if let Some(beside) = beside {
        weights.text.floor = weights.text.floor.max(beside.scale.text);
        weights.concept.floor = weights.concept.floor.max(beside.scale.concept);
    }
    let fallback = rank::CorpusStats::default();
    let candidates: Vec<rank::Candidate<'_>> = prepared
        .entries
        .iter()
        .map(|entry| rank::Candidate {
            commit: &entry.features,
            corpus: prepared.corpora.get(entry.window).unwrap_or(&fallback),
            later: if hindsight { &entry.later } else { &[] },
            defaults: &entry.knobs,
            undone_by: entry.undone_by,
            nested: entry.window > 0,
        })
        .collect();
    let ranking = rank::rank(asked, &candidates, facets, &weights);
    let met = match beside {
        Some(beside) => beside.met,
        None => symptom.then_some(ranking.met),
    };
    let mut by_oid: HashMap<Oid, rank::Ranked> =
        ranking.commits.into_iter().map(|ranked| (ranked.oid, ranked)).collect();
    let mut commits: Vec<Scored> = prepared
        .entries
        .iter()
        .enumerate()
        .map(|(at, entry)| {
            let ranked = by_oid.remove(&entry.features.oid);
            whole(at, entry, ranked, prepared, asked, points, met)
        })
        .collect();
    sort(&mut commits, prepared);
    place_pins(&mut commits, prepared, &points.prior);
    Scoring { commits, met, scale: ranking.scale }
}

/// A commit's score with all its parts.
fn whole(
    at: usize,
    entry: &Entry,
    ranked: Option<rank::Ranked>,
    prepared: &Prepared,
    asked: &Question,
    points: &Points,
    met: Option<f64>,
) -> Scored {
    let prior = &points.prior;
    let mut parts: Vec<Part> = ranked
        .into_iter()
        .flat_map(|ranked| ranked.reasons)
        .map(|reason| Part { kind: reason.kind, points: reason.points, words: reason.words })
        .collect();
    if let Some(line) = &entry.family_line {
        let words = format!("its message names the model's family: “{line}”");
        parts.push(Part { kind: ReasonKind::Family, points: prior.family_named(met), words });
    }
    if !entry.pull_words.is_empty() {
        let words = format!("its pull request's text has “{}”", entry.pull_words.join("”, “"));
        let points = prior.pull_words(entry.pull_words.len());
        parts.push(Part { kind: ReasonKind::PullText, points, words });
    }
    parts.extend(prior.parts(met, &entry.events, &entry.classes, &prepared.likely));
    let (mut verdict, mut why_not) = (Verdict::Candidate, None);
    let ruled_out = entry.ruled_out.as_ref().filter(|_| points.verdicts);
    if let Some((ruled_out, why)) = ruled_out.filter(|(v, _)| !is_spared(*v, entry, asked)) {
        verdict = *ruled_out;
        why_not = Some(why.clone());
        let points = prior.verdict(verdict);
        parts.push(Part { kind: ReasonKind::RuledOut, points, words: why.clone() });
    }
    parts.sort_by(|a, b| b.points.abs().total_cmp(&a.points.abs()));
    let score = parts.iter().map(|part| part.points).sum();
    Scored { entry: at, verdict, ruled_out: why_not, score, parts }
}

/// Whether a question is about the very program whose change says nothing to a model on the
/// server: one that speaks of another tool, or of the web interface.
fn is_spared(verdict: Verdict, entry: &Entry, asked: &Question) -> bool {
    let files = &entry.features.files;
    let lives = files.inert & asked.live != 0;
    let of_the_part = files.inert_count < files.count && files.areas & asked.areas != 0;
    verdict == Verdict::Inert && (lives || of_the_part)
}

/// A verdict, a score and the commit's id: what commits are ordered by.
pub(super) type Standing = (Verdict, f64, Oid);

/// What is ruled out comes last, whatever its points.
pub(super) fn best_first(a: Standing, b: Standing) -> Ordering {
    let open = b.0.is_open().cmp(&a.0.is_open());
    open.then_with(|| b.1.total_cmp(&a.1)).then_with(|| a.2.cmp(&b.2))
}

fn sort(commits: &mut [Scored], prepared: &Prepared) {
    let oid = |commit: &Scored| {
        prepared.entries.get(commit.entry).map_or(Oid::ZERO, |entry| entry.features.oid)
    };
    let standing = |commit: &Scored| (commit.verdict, commit.score, oid(commit));
    commits.sort_by(|a, b| best_first(standing(a), standing(b)));
}

/// A pin bump is the heading of what it brings: it ranks right after the best of it.
fn place_pins(commits: &mut [Scored], prepared: &Prepared, prior: &Prior) {
    let opens = |commit: &Scored| prepared.entries.get(commit.entry).and_then(|e| e.opens);
    let bumps: Vec<(usize, usize)> =
        commits.iter().enumerate().filter_map(|(at, c)| Some((at, opens(c)?))).collect();
    for (at, opened) in bumps {
        let Some(opened) = prepared.nested.get(opened) else { continue };
        let inside = |commit: &&Scored| {
            let entry = prepared.entries.get(commit.entry);
            let upstream = entry.and_then(|e| prepared.upstreams.get(e.window));
            upstream == Some(&opened.upstream) && commit.verdict == Verdict::Candidate
        };
        let best = commits.iter().filter(inside).map(|c| c.score).fold(f64::NEG_INFINITY, f64::max);
        let Some(bump) = commits.get_mut(at) else { continue };
        let (points, words) = match &opened.window {
            Some(window) => (
                if best.is_finite() { best - 0.001 - bump.score } else { 0.0 },
                format!(
                    "brings {} {}..{}, whose {} commits are ranked themselves: it stands after the best of them",
                    opened.upstream, window.base, window.head, window.commits
                ),
            ),
            None if bump.verdict == Verdict::Candidate => (
                prior.unread_pin(),
                format!(
                    "moves {} {} → {}, and what that brings is not in the store",
                    opened.upstream,
                    opened.pin_base.as_deref().unwrap_or("none"),
                    opened.pin_head.as_deref().unwrap_or("none")
                ),
            ),
            None => continue,
        };
        bump.score += points;
        bump.parts.insert(0, Part { kind: ReasonKind::Pin, points, words });
    }
    sort(commits, prepared);
}
