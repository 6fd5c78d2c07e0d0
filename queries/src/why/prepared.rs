//! What a ranking reads of a question's windows, taken out of the store once: scoring it
//! again with other points needs nothing else.

use headwater_store::{Oid, Store, StoredCommit};

use super::answer::Rules;
use super::collect::Collected;
use super::known::Known;
use super::pull_words::SymptomWords;
use super::report::{DefaultEvent, NestedWindow, Verdict};
use super::{AsOf, WhyQuestion, families, undone};
use crate::QueryError;
use crate::rank::{self, CommitFeatures, CorpusStats, Later, Question};

/// One commit of the windows.
pub(super) struct Entry {
    /// What the ranking reads of it.
    pub(super) features: CommitFeatures,
    /// Which window it is of: the first is the one asked about.
    pub(super) window: usize,
    /// What commits from after the window say of it.
    pub(super) later: Vec<Later>,
    /// The commit of the window that takes it back, as files show.
    pub(super) undone_by: Option<Oid>,
    /// The defaults that it moves.
    pub(super) events: Vec<DefaultEvent>,
    /// The knobs of those.
    pub(super) knobs: Vec<String>,
    /// What rules say that it is about: class and rule, each class once.
    pub(super) classes: Vec<(String, String)>,
    /// The line of its message that names the model's family.
    pub(super) family_line: Option<String>,
    /// Words of the symptom that its pull request's text has, and its message has not.
    pub(super) pull_words: Vec<String>,
    /// Why it is ruled out, where it is.
    pub(super) ruled_out: Option<(Verdict, String)>,
    /// For a pin bump: the nested window that it opens.
    pub(super) opens: Option<usize>,
}

/// A question's windows, ready to be scored.
pub(super) struct Prepared {
    /// Every commit of the windows.
    pub(super) entries: Vec<Entry>,
    /// The upstream of each window.
    pub(super) upstreams: Vec<String>,
    /// How rare the question's words are in it.
    pub(super) corpora: Vec<CorpusStats>,
    /// The windows of moved pins, also those that are not stored.
    pub(super) nested: Vec<NestedWindow>,
    /// What is asked, as the ranking reads it.
    pub(super) query: rank::Query,
    /// Classes that the question makes likely.
    pub(super) likely: Vec<&'static str>,
}

impl Prepared {
    /// Takes what is needed out of the store. `asked` is the question with every word that
    /// any points may let count.
    pub(super) fn of(
        store: &Store,
        rules: &Rules,
        question: &WhyQuestion,
        asked: &Question,
        nested: &[NestedWindow],
        all: &[(&Collected<'_>, Vec<Known<'_>>)],
    ) -> Result<Self, QueryError> {
        let query = query_of(question);
        let family = question.model.as_deref().map(families::of_model);
        let (mut entries, mut upstreams, mut corpora) = (Vec::new(), Vec::new(), Vec::new());
        for (at, (window, known)) in all.iter().enumerate() {
            let id = store.upstream(&window.upstream.name)?;
            // A text can be edited afterwards, so it is none from before the head.
            let words = match question.as_of != AsOf::Head && store.has_statements(id)? {
                true => SymptomWords::of(question, &rules.facets),
                false => None,
            };
            upstreams.push(window.upstream.name.clone());
            corpora.push(rank::stored::corpus(store, id, asked)?);
            let commits: Vec<StoredCommit> =
                known.iter().map(|k| k.patch.stored().clone()).collect();
            let features = rank::stored::features(store, &rules.facets, &commits)?;
            let later = said_later(store, question, window, &features)?;
            let undone = undone::pairs(known.iter().map(|k| k.patch));
            for ((known, features), later) in known.iter().zip(features).zip(later) {
                let moved = known.events.iter().filter(|e| e.counts());
                let mut classes: Vec<(String, String)> = Vec::new();
                for label in &known.labels {
                    // Two rules that give the same class say it once.
                    if !classes.iter().any(|(class, _)| *class == label.class) {
                        classes.push((label.class.clone(), label.rule.clone()));
                    }
                }
                let message = &known.patch.stored().commit().message;
                let pull_words = match &words {
                    Some(words) => words.of_commit(store, id, known.patch.stored())?,
                    None => Vec::new(),
                };
                entries.push(Entry {
                    window: at,
                    later,
                    undone_by: undone.get(&features.oid).copied(),
                    knobs: moved.map(|event| event.knob.clone()).collect(),
                    events: known.events.clone(),
                    classes,
                    pull_words,
                    family_line: family.as_deref().and_then(|f| families::naming(f, message)),
                    ruled_out: known.judged.as_ref().map(|j| (j.verdict, j.why.clone())),
                    opens: known.opens,
                    features,
                });
            }
        }
        let likely = likely_classes(question, rules)?;
        Ok(Prepared { entries, upstreams, corpora, nested: nested.to_vec(), query, likely })
    }
}

/// What is asked, as the ranking reads it.
pub(super) fn query_of(question: &WhyQuestion) -> rank::Query {
    rank::Query {
        symptom: question.symptom.clone().unwrap_or_default(),
        backend: question.backend.clone(),
        model: question.model.clone(),
        phase: question.phase.clone(),
        kind: question.kind.clone(),
    }
}

/// What commits from after the window say of each of its commits, where that may count.
fn said_later(
    store: &Store,
    question: &WhyQuestion,
    window: &Collected<'_>,
    features: &[CommitFeatures],
) -> Result<Vec<Vec<Later>>, QueryError> {
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
fn likely_classes(question: &WhyQuestion, rules: &Rules) -> Result<Vec<&'static str>, QueryError> {
    let mut likely = Vec::new();
    if matches!(question.backend.as_deref(), Some("cuda" | "hip" | "musa")) {
        likely.push("cuda");
    }
    if let Some(model) = &question.model
        && rules.facets.models()?.parse(model).moe == Some(true)
    {
        likely.push("moe");
    }
    match question.phase.as_deref() {
        Some("decode") => likely.extend(["sampler", "spec-decoding"]),
        Some("prefill") => likely.push("attention"),
        _ => {}
    }
    match question.kind.as_deref() {
        Some("output") => likely.extend(["sampler", "template"]),
        Some("speed") => likely.push("perf"),
        Some("build") => likely.extend(["toolchain", "abi"]),
        _ => {}
    }
    Ok(likely)
}
