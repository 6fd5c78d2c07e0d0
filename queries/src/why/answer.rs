//! The answer, put together.

use std::collections::HashMap;

use headwater_store::model::Label;
use headwater_store::upstream::Upstreams;
use headwater_store::{Digest, Oid, Store};

use super::candidates::{RankedWindow, place_pins, ranked};
use super::collect::{Collected, collect};
use super::effective::{self, Asked};
use super::engines::Engines;
use super::known::{Known, know, mark_pins};
use super::nested::nested_windows;
use super::open::{asked_again, open_questions};
use super::prior::Prior;
use super::report::{DefaultEvent, Verdict, WhyReport};
use super::{AsOf, WhyQuestion, absences, families, headline, measured};
use crate::QueryError;
use crate::classify::RuleTexts;
use crate::ledger::{Extractors, Spellings};
use crate::rank::{Facets, Weights};

/// The rule sets that an answer is made by.
pub struct Rules {
    /// What commits are about.
    pub classes: RuleTexts,
    /// Where defaults stand.
    pub extractors: Extractors,
    /// What files are to a ranking.
    pub facets: Facets,
    /// The points.
    pub weights: Weights,
}

impl Rules {
    /// The hash of each rule set, by name.
    pub fn hashes(&self) -> serde_json::Value {
        let hex = |bytes: &[u8]| Digest::of(bytes).hex();
        serde_json::json!({
            "classes": self.classes.hash_hex(),
            "defaults": self.extractors.hash(),
            "ranking": hex(&crate::rank::rules_hash()),
            "prior": hex(super::prior::FILE.as_bytes()),
            "measure": hex(crate::measure::Conventions::FILE.as_bytes()),
        })
    }
}

/// Answers why a window changed.
///
/// # Errors
/// Unknown or reversed ends, and those of the store.
pub fn why(
    store: &Store,
    upstreams: &Upstreams,
    rules: &Rules,
    question: &WhyQuestion,
) -> Result<WhyReport, QueryError> {
    let upstream = upstreams.get(&question.upstream)?;
    let main = collect(store, upstream, &question.window, question.jobs)?;
    let (nested, inner) = nested_windows(store, upstreams, &main, question.jobs)?;

    let mut objects = store.objects(&upstream.name)?.reader();
    let trees = [main.base.commit.commit().tree, main.head.commit.commit().tree];
    let asked = Asked::find(store, question.model.as_deref())?;
    let named = families::format_of(question.model.as_deref());
    let format = asked.as_ref().and_then(Asked::format).unwrap_or(named);
    let engines = Engines::read(upstream, format, trees, &mut objects)?;
    let family = question.model.as_deref().map(families::of_model);

    let mut spellings = Spellings::default();
    let mut all: Vec<(&Collected<'_>, Vec<Known<'_>>)> = Vec::new();
    let mut absent = Vec::new();
    for window in std::iter::once(&main).chain(&inner) {
        let known =
            know(store, rules, &engines, question, family.as_deref(), window, &mut spellings)?;
        let labels: Vec<Vec<Label>> = known.iter().map(|k| k.labels.clone()).collect();
        let moved =
            known.iter().any(|k| k.events.iter().any(|e| e.old.is_some() && e.new.is_some()));
        absent.extend(absences::of(window, &labels, moved)?);
        all.push((window, known));
    }
    mark_pins(upstream, &engines, &nested, &mut all);

    let prior = Prior::built_in()?;
    let RankedWindow { mut candidates, nothing, met } =
        ranked(store, rules, question, &prior, &all)?;
    place_pins(&mut candidates, &prior, &nested, &all);
    let mut events: Vec<DefaultEvent> =
        all.iter().flat_map(|(_, known)| known).flat_map(|k| k.events.clone()).collect();
    let measurements = measured::apply(store, question, &main, &nested, &events, &mut candidates)?;
    for (at, candidate) in candidates.iter_mut().enumerate() {
        candidate.rank = at + 1;
    }
    let order: HashMap<Oid, usize> = candidates.iter().map(|c| (c.sha, c.rank)).collect();
    events.sort_by_key(|event| order.get(&event.sha).copied().unwrap_or(usize::MAX));

    let effective = match &asked {
        Some(asked) => {
            effective::changes(store, upstreams, &rules.extractors, &main, &events, asked)?
        }
        None => Vec::new(),
    };
    let open = open_questions(question, &main, &nested, &events, &engines, met, asked.as_ref());
    let window = main.report.clone();
    let found = headline::Found {
        window: &window,
        nested: &nested,
        candidates: &candidates,
        events: &events,
        nothing: nothing && candidates.iter().all(|c| !c.verdict.is_open()),
        unread: nested
            .iter()
            .filter(|n| n.window.is_none() && !engines.pin_is_off_path(&n.pin))
            .collect(),
        measured: candidates.first().and_then(|first| measurements.words(first.sha)),
        hindsight: question.as_of != AsOf::Head,
    };
    let headline = headline::line(&found);
    let mut verdicts: Vec<(Verdict, usize)> = Vec::new();
    for candidate in &candidates {
        match verdicts.iter_mut().find(|(verdict, _)| *verdict == candidate.verdict) {
            Some((_, count)) => *count += 1,
            None => verdicts.push((candidate.verdict, 1)),
        }
    }
    verdicts.sort();
    Ok(WhyReport {
        schema: "headwater/why/1",
        headline,
        question: asked_again(question, &window.base, &window.head),
        window,
        nested,
        candidates,
        verdicts,
        default_events: events,
        effective,
        absences: absent,
        open,
        observations: measurements.shown,
        disagreements: measurements.disagreements,
        speeds: None,
    })
}
