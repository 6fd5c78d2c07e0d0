//! Everything that is known of a window's commits.

use headwater_store::evidence::Evidence;
use headwater_store::model::Label;
use headwater_store::upstream::Upstream;
use headwater_store::{Store, StoredPatch};

use super::WhyQuestion;
use super::answer::Rules;
use super::collect::Collected;
use super::defaults::{self, Moved};
use super::effective::Asked;
use super::engines::Engines;
use super::lineage::Lineage;
use super::meets::Meets;
use super::paths::PathRules;
use super::report::{DefaultEvent, NestedWindow, Verdict};
use super::verdict::{Judge, Judged};
use crate::QueryError;
use crate::derive::default_events::Tables;
use crate::derive::labels::{Labeller, Sources};
use crate::ledger::{RestoreWay, Spellings};
use crate::rank::PhasePaths;

/// One commit with all that is known of it.
pub(super) struct Known<'a> {
    pub(super) patch: &'a StoredPatch,
    pub(super) labels: Vec<Label>,
    pub(super) events: Vec<DefaultEvent>,
    pub(super) event_lines: Vec<Evidence>,
    pub(super) judged: Option<Judged>,
    /// For a pin bump: the nested window that it opens.
    pub(super) opens: Option<usize>,
}

/// What is known of the model in question.
#[derive(Clone, Copy)]
pub(super) struct OfModel<'a> {
    /// What is stored of it.
    pub(super) stored: Option<&'a Asked>,
    /// Which code it runs.
    pub(super) lineage: Option<&'a Lineage>,
    /// What it meets, on the backend in question.
    pub(super) meets: &'a Meets<'a>,
}

/// Everything that is known of a window's commits.
pub(super) fn know<'w>(
    store: &Store,
    rules: &Rules,
    asked_engines: &Engines,
    question: &WhyQuestion,
    model: OfModel<'_>,
    window: &'w Collected<'_>,
    spellings: &mut Spellings,
) -> Result<Vec<Known<'w>>, QueryError> {
    let mut objects = store.objects(&window.upstream.name)?.reader();
    let path_rules = PathRules::new(window.upstream)?;
    let is_asked = window.upstream.name == question_upstream(question, window.upstream);
    // What the version in question hears through an engine it must run.
    let heard = |way: &RestoreWay| {
        let through = way.through.as_deref();
        is_asked || through.is_none_or(|engine| asked_engines.running().contains(&engine))
    };
    let own;
    let engines = if is_asked {
        asked_engines
    } else {
        let trees = [window.base.commit.commit().tree, window.head.commit.commit().tree];
        own = Engines::read(window.upstream, asked_engines.format(), trees, &mut objects)?;
        &own
    };
    let phase = match question.phase.as_deref() {
        Some(phase) => PhasePaths::of(phase)?,
        None => None,
    };
    let judge = Judge {
        rules: &path_rules,
        engines,
        lineage: model.lineage,
        meets: model.meets,
        // Its parameters are options of the server's requests, and nothing to an engine.
        model: model.stored.filter(|_| is_asked),
        phase: phase.as_ref(),
    };
    let id = store.upstream(&window.upstream.name)?;
    let events_through = store
        .default_events_state(id)?
        .filter(|state| state.rules == rules.extractors.hash().into_bytes())
        .map(|state| state.through);
    let sources = Sources { rules: &rules.classes, extractors: &rules.extractors };
    let labeller = Labeller::new(store, &window.upstream.name, sources)?;
    let mut tables = Tables::new(objects, &rules.extractors, &window.upstream.name);
    let mut moves = Vec::new();
    for patch in &window.patches {
        let moved = if patch.is_deferred() {
            Moved { events: Vec::new() }
        } else if events_through.is_some_and(|through| patch.stored().id() <= through) {
            Moved::stored(store, patch)?
        } else {
            Moved::read(patch, &mut tables)?
        };
        for event in &moved.events {
            spellings.add_names(&event.knob, &event.names);
        }
        moves.push(moved);
    }
    let objects = tables.reader();
    // The other spellings of all knobs are many, and needed only where one moved.
    if events_through.is_some() && moves.iter().any(|moved| !moved.events.is_empty()) {
        for (knob, name) in store.knob_names(id)? {
            spellings.add_names(&knob, &[name]);
        }
    }
    // The engine's whole parser is read, so only where a way back may be offered.
    let options = match moves.iter().any(|moved| !moved.events.is_empty()) {
        true => {
            let head = window.head.commit.commit().tree;
            rules.extractors.options(&window.upstream.name, head, objects)?
        }
        false => None,
    };
    let mut known = Vec::new();
    for (patch, moved) in window.patches.iter().zip(&moves) {
        // A pin is told as a pin.
        let homes = window.upstream.pins.iter().flat_map(|pin| &pin.homes);
        let homes: Vec<&str> = homes.map(|home| home.path.as_str()).collect();
        let shown: Vec<&crate::ledger::Event> =
            moved.events.iter().filter(|event| !homes.contains(&event.path.as_str())).collect();
        let labels = labeller.labels(patch.stored().id())?;
        let (mut events, mut event_lines) = (Vec::new(), Vec::new());
        for event in shown {
            let device = match &question.backend {
                Some(backend) => {
                    defaults::on_device(patch, event, backend, &rules.extractors, objects)?
                }
                None => None,
            };
            let table = options.as_deref();
            let mut shown =
                defaults::shown(patch, event, &rules.extractors, spellings, table, device);
            shown.restore.retain(heard);
            shown.not_met = model.meets.event(event);
            events.push(shown);
            event_lines.push(defaults::evidence(patch, event));
        }
        let judged = match window.shipped.get(&patch.stored().commit().oid) {
            Some(twin) => Some(Judged {
                verdict: Verdict::Excluded,
                why: format!("shipped in {} as {}", window.report.base, twin.short()),
                evidence: vec![patch.stored().evidence()],
            }),
            None => judge.judge(patch, &labels, &moved.events, objects)?,
        };
        known.push(Known { patch, labels, events, event_lines, judged, opens: None });
    }
    Ok(known)
}

fn question_upstream<'q>(question: &'q WhyQuestion, upstream: &'q Upstream) -> &'q str {
    let asked = question.upstream == upstream.name
        || question.upstream == upstream.repository
        || upstream.aliases.contains(&question.upstream);
    if asked { &upstream.name } else { &question.upstream }
}

/// Tells pin bumps which window they open, and rules out those that the model's engine
/// does not use.
pub(super) fn mark_pins(
    upstream: &Upstream,
    engines: &Engines,
    nested: &[NestedWindow],
    all: &mut [(&Collected<'_>, Vec<Known<'_>>)],
) {
    let Some((_, main)) = all.first_mut() else { return };
    for (at, nested) in nested.iter().enumerate() {
        let bump = main.iter_mut().find(|k| Some(k.patch.stored().commit().oid) == nested.moved_by);
        let Some(bump) = bump else { continue };
        bump.opens = Some(at);
        if engines.pin_is_off_path(&nested.pin) && bump.judged.is_none() {
            let home = upstream.pins.iter().find(|pin| pin.name == nested.pin);
            let path = home.and_then(|pin| pin.homes.first()).map_or("", |home| home.path.as_str());
            bump.judged = Some(Judged {
                verdict: Verdict::OffPath,
                why: format!(
                    "only engines that run no {} model use the pin {}",
                    engines.format(),
                    nested.pin
                ),
                evidence: vec![bump.patch.stored().evidence_at(path)],
            });
        }
    }
}
