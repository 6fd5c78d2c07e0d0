//! Scored commits as the report's candidates, with evidence and receipts.

use headwater_store::Store;
use headwater_store::evidence::{Evidence, Grade};

use super::collect::Collected;
use super::known::Known;
use super::report::{Candidate, ClassEvidence, Reason};
use super::said::PullSource;
use super::score::Scored;
use super::{AsOf, WhyQuestion, verdict};
use crate::QueryError;
use crate::rank::ReasonKind;

/// The candidates of scored commits, in their order.
pub(super) fn candidates(
    store: &Store,
    question: &WhyQuestion,
    all: &[(&Collected<'_>, Vec<Known<'_>>)],
    scored: &[Scored],
) -> Result<Vec<Candidate>, QueryError> {
    let flat: Vec<(&Collected<'_>, &Known<'_>)> =
        all.iter().flat_map(|(window, known)| known.iter().map(|k| (*window, k))).collect();
    let found = scored.iter().filter_map(|scored| Some((flat.get(scored.entry)?, scored)));
    found
        .zip(1..)
        .map(|(((window, known), scored), rank)| {
            candidate(store, question, window, known, scored, rank)
        })
        .collect()
}

fn candidate(
    store: &Store,
    question: &WhyQuestion,
    window: &Collected<'_>,
    known: &Known<'_>,
    scored: &Scored,
    rank: usize,
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
    let reasons = scored
        .parts
        .iter()
        .map(|part| Reason {
            kind: part.kind,
            points: part.points,
            words: part.words.clone(),
            evidence: evidence(window, known, part.kind),
        })
        .collect();
    let place = store.place(stored.id())?;
    let (pr, pull_source) = match question.as_of {
        // What the host names now may be knowledge from after the head.
        AsOf::Head => PullSource::in_subject(stored),
        AsOf::Now | AsOf::Time(_) => PullSource::known(store, stored)?,
    };
    // Tags from after the window's head are knowledge from after it.
    let place = place.filter(|_| question.as_of != AsOf::Head || known_at_head(window));
    Ok(Candidate {
        rank,
        upstream: stored.upstream().to_owned(),
        sha: commit.oid,
        subject: commit.subject().to_owned(),
        date: commit.committed,
        pr,
        pull_source,
        first_tag: place.as_ref().and_then(|p| p.first_tag.clone()),
        first_final_tag: place.as_ref().and_then(|p| p.first_final_tag.clone()),
        first_shipped: place.as_ref().and_then(|p| p.first_shipped.clone()),
        twins: store.twins(stored)?,
        verdict: scored.verdict,
        verdict_reason: scored.ruled_out.clone(),
        reaches: Vec::new(),
        score: scored.score,
        classes,
        reasons,
        grade: Grade::Rule,
        receipts: vec![store.receipt(stored.receipt_id())?],
    })
}

/// The lines that show a reason, where it rests on lines.
fn evidence(window: &Collected<'_>, known: &Known<'_>, kind: ReasonKind) -> Vec<Evidence> {
    let stored = known.patch.stored();
    match kind {
        ReasonKind::Family => vec![stored.evidence()],
        ReasonKind::Default => known.event_lines.clone(),
        ReasonKind::RuledOut => {
            known.judged.as_ref().map(|j| j.evidence.clone()).unwrap_or_default()
        }
        ReasonKind::Pin => {
            let files = &known.patch.patch().files;
            let is_home = |path: &str| {
                let mut homes = window.upstream.pins.iter().flat_map(|pin| &pin.homes);
                homes.any(|home| home.path == path)
            };
            let home = files.iter().find(|file| is_home(&file.path));
            home.or(files.first()).map(|file| stored.evidence_at(&file.path)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// A commit's first tag is at or before the head that contains it, where the head is a
/// tag; else it may come later.
fn known_at_head(window: &Collected<'_>) -> bool {
    window.head.how == crate::window::How::Tag
}
