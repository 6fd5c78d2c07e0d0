//! The answer, put together.

use std::collections::HashMap;

use headwater_store::upstream::Upstreams;
use headwater_store::{Digest, Oid, Store};

use super::candidates::candidates;
use super::effective::{self, Asked};
use super::gather::{Windows, labels_of};
use super::known::OfModel;
use super::lineage::Lineage;
use super::meets::Meets;
use super::open::{asked_again, open_questions};
use super::outside::{Beside, outside};
use super::prepared::{Prepared, query_of};
use super::prior::Prior;
use super::report::{DefaultEvent, Verdict, WhyReport};
use super::said::{self, Said};
use super::score::{Points, score};
use super::{AsOf, WhyQuestion, absences, bisect, builds, headline, measured};
use crate::QueryError;
use crate::classify::RuleTexts;
use crate::ledger::Extractors;
use crate::rank::{Facets, QuestionReader, Weights};

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
    /// Those that are part of the program.
    ///
    /// # Errors
    /// Never for a released crate: tests read each built-in file.
    pub fn built_in() -> Result<Self, QueryError> {
        Ok(Rules {
            classes: RuleTexts::built_in(),
            extractors: Extractors::built_in()?,
            facets: Facets::shipped()?,
            weights: Weights::shipped()?,
        })
    }

    /// All points.
    pub(super) fn points(&self) -> Result<Points, QueryError> {
        Ok(Points { weights: self.weights.clone(), prior: Prior::built_in()?, verdicts: true })
    }

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
    let windows =
        Windows::collect(store, upstreams, upstream, &question.window, None, question.jobs)?;
    let Windows { main, nested, .. } = &windows;
    let model = Asked::find(store, question.model.as_deref())?;
    let lineage = Lineage::asked(question, model.as_ref())?;
    let meets = Meets::asked(question, lineage.as_ref(), rules)?;
    let of_model = OfModel { stored: model.as_ref(), lineage: lineage.as_ref(), meets: &meets };
    let (engines, all) = windows.know(store, rules, question, of_model)?;
    let mut absent = Vec::new();
    for (window, known) in &all {
        let (labels, moved) = labels_of(known);
        absent.extend(absences::of(window, &labels, moved)?);
    }

    let points = rules.points()?;
    let query = query_of(question);
    let mut reader = QuestionReader::new(&rules.facets)?;
    let every_word = reader.read(&query, &points.weights.clone().every_word())?;
    let asked = reader.read(&query, &points.weights)?;
    let prepared = Prepared::of(store, rules, question, &every_word, nested, &all)?;
    let hindsight = question.as_of != AsOf::Head;
    let scoring = score(&prepared, &asked, &rules.facets, &points, hindsight, None);
    let mut candidates = candidates(store, question, &all, &scoring.commits)?;
    let beside = Beside {
        question,
        model: of_model,
        every_word: &every_word,
        asked: &asked,
        points: &points,
        scoring: &scoring,
    };
    let mut events: Vec<DefaultEvent> =
        all.iter().flat_map(|(_, known)| known).flat_map(|k| k.events.clone()).collect();
    let measurements = measured::apply(store, question, main, nested, &events, &mut candidates)?;
    for (at, candidate) in candidates.iter_mut().enumerate() {
        candidate.rank = at + 1;
    }
    let left = candidates.iter().filter(|c| c.verdict.is_open()).map(|c| c.sha).collect();
    let mut bisect = Vec::new();
    for (window, known) in &all {
        if let Some(mut one) = bisect::of(window, known, &left) {
            one.to_try = builds::to_try(store, window, &candidates)?;
            bisect.push(one);
        }
    }
    let order: HashMap<Oid, usize> = candidates.iter().map(|c| (c.sha, c.rank)).collect();
    events.sort_by_key(|event| order.get(&event.sha).copied().unwrap_or(usize::MAX));

    // Neither needs the other, and both read much.
    let own = || match &model {
        Some(model) => {
            effective::changes(store, upstreams, &rules.extractors, main, &events, model)
        }
        None => Ok(Vec::new()),
    };
    let (outside, effective) = match question.jobs {
        ..=1 => (outside(store, upstreams, rules, main, &beside)?, own()?),
        _ => std::thread::scope(|scope| {
            let (other, beside) = (store.reopen()?, &beside);
            let outside = scope.spawn(move || outside(&other, upstreams, rules, main, beside));
            let effective = own();
            let outside = outside.join().map_err(|_| QueryError::ThreadDied)??;
            Ok::<_, QueryError>((outside, effective?))
        })?,
    };
    let open = open_questions(question, main, nested, &events, &engines, scoring.met, of_model);
    let window = main.report.clone();
    let said =
        Said::of(&said::Beside { store, upstreams, question, all: &all, candidates: &candidates })?;
    let found = headline::Found {
        window: &window,
        nested,
        candidates: &candidates,
        events: &events,
        nothing: candidates.iter().all(|c| !c.verdict.is_open()),
        pins: !upstream.pins.is_empty(),
        unread: nested
            .iter()
            .filter(|n| n.window.is_none() && !engines.pin_is_off_path(&n.pin))
            .collect(),
        measured: candidates.first().and_then(|first| measurements.words(first.sha)),
        hindsight,
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
        nested: windows.nested.clone(),
        candidates,
        outside,
        bisect,
        verdicts,
        default_events: events,
        effective,
        absences: absent,
        open,
        observations: measurements.shown,
        disagreements: measurements.disagreements,
        said,
        speeds: None,
        mine: None,
    })
}
