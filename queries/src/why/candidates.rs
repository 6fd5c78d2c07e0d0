//! The commits of a window as ranked candidates.

use std::collections::HashMap;

use headwater_store::evidence::{Grade, Receipt};
use headwater_store::{Oid, Store, StoredCommit};

use super::answer::Rules;
use super::collect::Collected;
use super::known::Known;
use super::prior::Prior;
use super::report::{Candidate, ClassEvidence, NestedWindow, Reason, Verdict};
use super::{AsOf, WhyQuestion, families, undone, verdict};
use crate::QueryError;
use crate::rank::{self, QuestionReader};

/// A window's commits, ranked.
pub(super) struct RankedWindow {
    /// Every commit with its score, best first.
    pub(super) candidates: Vec<Candidate>,
    /// Nothing in it can have an effect.
    pub(super) nothing: bool,
    /// How well its best meets the symptom's words; `None` without a symptom.
    pub(super) met: Option<f64>,
}

/// Ranks every commit of the windows.
pub(super) fn ranked(
    store: &Store,
    rules: &Rules,
    question: &WhyQuestion,
    prior: &Prior,
    all: &[(&Collected<'_>, Vec<Known<'_>>)],
) -> Result<RankedWindow, QueryError> {
    let bad_rules =
        |e: rank::RulesError| QueryError::Rules { file: "rank".to_owned(), why: e.to_string() };
    let mut weights = rules.weights.clone();
    if question.symptom.is_none() {
        // The model's name alone is a weak hint at what was seen.
        weights.concept.points *= 0.25;
        // What a later commit blames on it need not be what was seen here.
        weights.hindsight.revert *= 0.5;
        weights.hindsight.cause *= 0.5;
        weights.hindsight.named *= 0.5;
    }
    let query = rank::Query {
        symptom: question.symptom.clone().unwrap_or_default(),
        backend: question.backend.clone(),
        model: question.model.clone(),
    };
    let asked = QuestionReader::new(&rules.facets).map_err(bad_rules)?.read(&query, &weights)?;
    let mut features = Vec::new();
    let mut corpora = Vec::new();
    let mut later = Vec::new();
    for (window, known) in all {
        let id = store.upstream(&window.upstream.name)?;
        let commits: Vec<StoredCommit> = known.iter().map(|k| k.patch.stored().clone()).collect();
        let of_window = rank::stored::features(store, &rules.facets, &commits)?;
        later.push(said_later(store, question, window, &of_window)?);
        features.push(of_window);
        corpora.push(rank::stored::corpus(store, id, &asked)?);
    }
    let knobs: Vec<Vec<Vec<String>>> = all
        .iter()
        .map(|(_, known)| {
            known
                .iter()
                .map(|k| {
                    k.events
                        .iter()
                        .filter(|e| e.old.is_some() && e.new.is_some())
                        .map(|e| e.knob.clone())
                        .collect()
                })
                .collect()
        })
        .collect();
    let mut entries = Vec::new();
    let undone = all.iter().map(|(_, known)| undone::pairs(known.iter().map(|k| k.patch)));
    let windows = features.iter().zip(&corpora).zip(&knobs).zip(&later).zip(undone);
    for (at, ((((features, corpus), knobs), later), undone)) in windows.enumerate() {
        let nested = at > 0;
        for ((commit, defaults), later) in features.iter().zip(knobs).zip(later) {
            let undone_by = undone.get(&commit.oid).copied();
            let candidate = rank::Candidate { commit, corpus, later, defaults, undone_by, nested };
            entries.push(candidate);
        }
    }
    let ranking = rank::rank(&asked, &entries, &rules.facets, &weights);
    let mut by_oid: HashMap<Oid, rank::Ranked> =
        ranking.commits.into_iter().map(|r| (r.oid, r)).collect();

    let likely = likely_classes(question);
    let met = question.symptom.is_some().then_some(ranking.met);
    let family = question.model.as_deref().map(families::of_model);
    let mut candidates = Vec::new();
    for (window, known) in all {
        for one in known {
            let ranked = by_oid.remove(&one.patch.stored().commit().oid);
            let seen = Seen { prior, likely: &likely, met, family: family.as_deref() };
            candidates.push(candidate(store, question, &seen, window, one, ranked)?);
        }
    }
    candidates.sort_by(best_first);
    let nothing = candidates.iter().all(|c| c.verdict != Verdict::Candidate);
    Ok(RankedWindow { candidates, nothing, met })
}

/// What commits from after the window say of each of its commits, where that may count.
fn said_later(
    store: &Store,
    question: &WhyQuestion,
    window: &Collected<'_>,
    features: &[rank::CommitFeatures],
) -> Result<Vec<Vec<rank::Later>>, QueryError> {
    if question.as_of == AsOf::Head {
        return Ok(vec![Vec::new(); features.len()]);
    }
    let id = store.upstream(&window.upstream.name)?;
    let graph = &window.graph;
    let ends = [window.base.commit.commit().oid, window.head.commit.commit().oid];
    let until = graph.reachable(ends.into_iter().filter_map(|oid| graph.node(oid)));
    let keep = |by: &StoredCommit| {
        let after = graph.node(by.commit().oid).is_some_and(|node| !until.contains(node));
        let known = match question.as_of {
            AsOf::Time(time) => by.commit().committed.timestamp() <= time,
            AsOf::Now | AsOf::Head => true,
        };
        after && known
    };
    let place = |by: &StoredCommit| {
        let place = store.place(by.id()).ok().flatten();
        place.and_then(|p| p.first_final_tag.or(p.first_tag)).map_or_else(
            || format!("of {}", by.commit().committed.format("%Y-%m-%d")),
            |tag| format!("in {tag}"),
        )
    };
    features.iter().map(|commit| rank::stored::later(store, id, commit, keep, place)).collect()
}

/// Classes that the backend or the model of the question makes likely.
fn likely_classes(question: &WhyQuestion) -> Vec<&'static str> {
    let mut likely = Vec::new();
    if matches!(question.backend.as_deref(), Some("cuda" | "hip" | "musa")) {
        likely.push("cuda");
    }
    let name = question
        .model
        .as_deref()
        .and_then(|model| rank::ModelNames::shipped().ok().map(|names| names.parse(model)));
    if name.is_some_and(|name| name.moe == Some(true)) {
        likely.push("moe");
    }
    match question.phase.as_deref() {
        Some("decode") => likely.extend(["sampler", "spec-decoding"]),
        Some("prefill") => likely.push("attention"),
        _ => {}
    }
    if question.kind.as_deref() == Some("output") {
        likely.extend(["sampler", "template"]);
    }
    likely
}

/// What the parts of a score are given by, besides the commit.
struct Seen<'a> {
    prior: &'a Prior,
    likely: &'a [&'a str],
    /// How well the window meets the symptom's words; `None` without a symptom.
    met: Option<f64>,
    /// The family of the model in question.
    family: Option<&'a str>,
}

/// What is ruled out comes last, whatever its words.
pub(super) fn best_first(a: &Candidate, b: &Candidate) -> std::cmp::Ordering {
    let open = |c: &Candidate| matches!(c.verdict, Verdict::Candidate | Verdict::ConfirmedByToggle);
    open(b).cmp(&open(a)).then_with(|| b.score.total_cmp(&a.score)).then_with(|| a.sha.cmp(&b.sha))
}

fn candidate(
    store: &Store,
    question: &WhyQuestion,
    seen: &Seen<'_>,
    window: &Collected<'_>,
    known: &Known<'_>,
    ranked: Option<rank::Ranked>,
) -> Result<Candidate, QueryError> {
    let stored = known.patch.stored();
    let commit = stored.commit();
    let classes: Vec<ClassEvidence> = known
        .labels
        .iter()
        .map(|label| ClassEvidence {
            class: label.class.clone(),
            rule: label.rule.clone(),
            evidence: verdict::lines(known.patch, label),
        })
        .collect();
    let mut reasons: Vec<Reason> = ranked
        .into_iter()
        .flat_map(|ranked| ranked.reasons)
        .map(|reason| Reason { points: reason.points, words: reason.words, evidence: Vec::new() })
        .collect();
    let Seen { prior, likely, met, family } = *seen;
    if let Some(line) = family.and_then(|family| families::naming(family, &commit.message)) {
        let words = format!("its message names the model's family: “{line}”");
        let points = prior.family_named(met);
        reasons.push(Reason { points, words, evidence: vec![stored.evidence()] });
    }
    for part in prior.parts(met, &known.events, &classes, likely) {
        let is_default = part.words.starts_with("moves the default");
        let evidence = if is_default { known.event_lines.clone() } else { Vec::new() };
        reasons.push(Reason { points: part.points, words: part.words, evidence });
    }
    let mut verdict = Verdict::Candidate;
    if let Some(judged) = &known.judged {
        verdict = judged.verdict;
        let points = match judged.verdict {
            Verdict::Inert => prior.verdicts().inert,
            Verdict::OffPath => prior.verdicts().off_path,
            Verdict::Excluded => prior.verdicts().excluded,
            Verdict::Candidate | Verdict::ConfirmedByToggle => 0.0,
        };
        reasons.push(Reason {
            points,
            words: judged.why.clone(),
            evidence: judged.evidence.clone(),
        });
    }
    reasons.sort_by(|a, b| b.points.abs().total_cmp(&a.points.abs()));
    let score = reasons.iter().map(|reason| reason.points).sum();
    let place = store.place(stored.id())?;
    // Tags from after the window's head are knowledge from after it.
    let place = place.filter(|_| question.as_of != AsOf::Head || known_at_head(window));
    let receipts: Vec<Receipt> = vec![store.receipt(stored.receipt_id())?];
    Ok(Candidate {
        rank: 0,
        upstream: stored.upstream().to_owned(),
        sha: commit.oid,
        subject: commit.subject().to_owned(),
        date: commit.committed,
        pr: commit.pull_request(),
        first_tag: place.as_ref().and_then(|p| p.first_tag.clone()),
        first_final_tag: place.as_ref().and_then(|p| p.first_final_tag.clone()),
        first_shipped: place.as_ref().and_then(|p| p.first_shipped.clone()),
        twins: store.twins(stored)?,
        verdict,
        verdict_reason: known.judged.as_ref().map(|judged| judged.why.clone()),
        score,
        classes,
        reasons,
        grade: Grade::Rule,
        receipts,
    })
}

/// A commit's first tag is at or before the head that contains it, where the head is a
/// tag; else it may come later.
fn known_at_head(window: &Collected<'_>) -> bool {
    window.head.how == crate::window::How::Tag
}

/// A pin bump is the heading of what it brings: it ranks right after the best of it.
pub(super) fn place_pins(
    candidates: &mut [Candidate],
    prior: &Prior,
    nested: &[NestedWindow],
    all: &[(&Collected<'_>, Vec<Known<'_>>)],
) {
    let Some((_, main)) = all.first() else { return };
    for known in main {
        let Some(opened) = known.opens.and_then(|at| nested.get(at)) else { continue };
        let best = candidates
            .iter()
            .filter(|c| c.upstream == opened.upstream && c.verdict == Verdict::Candidate)
            .map(|c| c.score)
            .fold(f64::NEG_INFINITY, f64::max);
        let sha = known.patch.stored().commit().oid;
        let Some(bump) = candidates.iter_mut().find(|c| c.sha == sha) else { continue };
        let evidence =
            known.patch.patch().files.first().map(|f| known.patch.stored().evidence_at(&f.path));
        let Some(window) = &opened.window else {
            if bump.verdict == Verdict::Candidate {
                let words = format!(
                    "moves {} {} → {}, and what that brings is not in the store",
                    opened.upstream,
                    opened.pin_base.as_deref().unwrap_or("none"),
                    opened.pin_head.as_deref().unwrap_or("none")
                );
                let points = prior.unread_pin();
                bump.score += points;
                let evidence = evidence.into_iter().collect();
                bump.reasons.insert(0, Reason { points, words, evidence });
            }
            continue;
        };
        let words = format!(
            "brings {} {}..{}, whose {} commits are ranked themselves: it stands after the best of them",
            opened.upstream, window.base, window.head, window.commits
        );
        let points = if best.is_finite() { best - 0.001 - bump.score } else { 0.0 };
        bump.score += points;
        bump.reasons.insert(0, Reason { points, words, evidence: evidence.into_iter().collect() });
    }
    candidates.sort_by(best_first);
}
