//! What users measured, brought to bear on the candidates.

use std::collections::HashSet;

use headwater_store::graph::Node;
use headwater_store::{ModelName, Observation, Oid, Store};

use super::collect::Collected;
use super::report::{Candidate, DefaultEvent, NestedWindow, Reason, Verdict};
use super::score::best_first;
use super::{AsOf, WhyQuestion};
use crate::QueryError;
use crate::measure::{
    AskedChange, Conventions, Disagreement, Finding, ObservationShown, ToggledCommit,
    disagreements, moved_by,
};
use crate::rank::ReasonKind;

/// What was measured of a window.
pub(super) struct Measurements {
    pub(super) shown: Vec<ObservationShown>,
    pub(super) disagreements: Vec<Disagreement>,
}

impl Measurements {
    /// What the observations that decide on a commit say of it: the first that confirms it,
    /// and the newest that does not.
    pub(super) fn words(&self, commit: Oid) -> Option<String> {
        let decides = |one: &&ObservationShown| {
            one.set_aside.is_none() && one.commits.iter().any(|about| about.sha == commit)
        };
        let confirms = |one: &&ObservationShown| one.finding() == Finding::Explains;
        let confirming = self.shown.iter().filter(decides).find(confirms)?;
        let mut words = confirming.words();
        // What is of another kind contradicts nothing.
        let mut against = self.shown.iter().filter(decides).filter(|one| {
            one.kind == confirming.kind
                && !matches!(one.finding(), Finding::Explains | Finding::NoJump)
        });
        if let Some(against) = against.next_back() {
            words = format!("{words}; but {}", against.words());
        }
        let mut letters = words.chars();
        let first = letters.next()?;
        Some(first.to_uppercase().chain(letters).collect())
    }
}

/// Reads the observations that are about this window, and lets those that fit the question
/// decide on the commits that they are about.
pub(super) fn apply(
    store: &Store,
    question: &WhyQuestion,
    main: &Collected<'_>,
    nested: &[NestedWindow],
    events: &[DefaultEvent],
    candidates: &mut [Candidate],
) -> Result<Measurements, QueryError> {
    let mut measurements = Measurements { shown: Vec::new(), disagreements: Vec::new() };
    let known: Vec<Observation> = store
        .observations(&main.upstream.name)?
        .into_iter()
        .filter(|observation| {
            let withdrawn = observation.withdrawn.as_ref().map(|one| one.at.timestamp());
            match question.as_of {
                AsOf::Head => false,
                AsOf::Now => withdrawn.is_none(),
                AsOf::Time(time) => {
                    observation.recorded.timestamp() <= time
                        && withdrawn.is_none_or(|withdrawn| withdrawn > time)
                }
            }
        })
        .collect();
    if known.is_empty() {
        return Ok(measurements);
    }
    let conventions = Conventions::shipped()?;
    let asked = AskedChange::of(question, &conventions)?;
    let window = main.commits();
    for observation in known.iter().filter(|one| ObservationShown::is_of_toggle(one)) {
        let Some(about) = commits_of(main, observation) else { continue };
        if about.is_disjoint(&window) {
            continue;
        }
        let mut shown = ObservationShown::of(observation, &known, &conventions)?;
        let inside = |event: &DefaultEvent| match event.upstream == main.upstream.name {
            true => main.graph.node(event.sha).is_some_and(|node| about.contains(&node)),
            false => opened_within(main, nested, event, &about, &window),
        };
        let toggled = observation.toggle.as_ref().map(|toggle| moved_by(toggle, events));
        for event in toggled.into_iter().flatten().filter(|event| inside(event)) {
            if !shown.commits.iter().any(|commit| commit.sha == event.sha) {
                shown.commits.push(ToggledCommit {
                    upstream: event.upstream.clone(),
                    sha: event.sha,
                    knob: event.knob.clone(),
                    old: event.old.clone(),
                    new: event.new.clone(),
                });
            }
        }
        shown.set_aside = set_aside(question, &shown)
            .or_else(|| asked.misses(&shown))
            .or_else(|| wider(question, &shown, window.is_subset(&about)));
        measurements.shown.push(shown);
    }
    for candidate in candidates.iter_mut() {
        let of_candidate =
            |one: &ObservationShown| one.commits.iter().any(|commit| commit.sha == candidate.sha);
        // Of which model it was is not known: it cannot speak against what keeps this one
        // from the change.
        let ruled_out = question.model.is_some() && candidate.verdict == Verdict::Excluded;
        for shown in measurements.shown.iter_mut().filter(|one| of_candidate(one)) {
            if ruled_out && shown.set_aside.is_none() && !shown.conditions.contains_key("model") {
                shown.set_aside = Some(
                    "it was recorded without a model, and a rule keeps the one in question from this change"
                        .to_owned(),
                );
            }
        }
        let about: Vec<&ObservationShown> =
            measurements.shown.iter().filter(|one| of_candidate(one)).collect();
        weigh(candidate, &about, &known, &conventions);
    }
    let standing = |one: &Candidate| (one.verdict, one.score, one.sha);
    candidates.sort_by(|a, b| best_first(standing(a), standing(b)));
    measurements.disagreements =
        disagreements(&main.upstream.name, &measurements.shown, &conventions);
    Ok(measurements)
}

/// The commits of an observation's window; `None` where the store lacks an end of it.
fn commits_of(main: &Collected<'_>, observation: &Observation) -> Option<HashSet<Node>> {
    let window = observation.window.as_ref()?;
    let node = |oid: Oid| main.graph.node(oid);
    let (base, head) = (node(window.base_sha)?, node(window.head_sha)?);
    Some(main.graph.between(base, head).into_iter().collect())
}

/// Whether a commit of a nested window came with a pin that moved in the observation's.
fn opened_within(
    main: &Collected<'_>,
    nested: &[NestedWindow],
    event: &DefaultEvent,
    about: &HashSet<Node>,
    window: &HashSet<Node>,
) -> bool {
    nested.iter().filter(|nested| nested.upstream == event.upstream).any(|nested| {
        match nested.moved_by.and_then(|oid| main.graph.node(oid)) {
            Some(bump) => about.contains(&bump),
            // Several commits moved the pin: only a window that holds all of them will do.
            None => window.is_subset(about),
        }
    })
}

/// Why an observation decides nothing here: it was made of something else than what was
/// asked about.
fn set_aside(question: &WhyQuestion, shown: &ObservationShown) -> Option<String> {
    let is = |name: &str| shown.conditions.get(name).map(String::as_str);
    if let (Some(asked), Some(measured)) = (question.model.as_deref(), is("model"))
        && !same_model(asked, measured)
    {
        return Some(format!("it was measured with {measured}, and {asked} was asked about"));
    }
    if let (Some(asked), Some(measured)) = (question.backend.as_deref(), is("backend"))
        && !asked.eq_ignore_ascii_case(measured)
    {
        return Some(format!("it was measured on {measured}, and {asked} was asked about"));
    }
    shown.commits.is_empty().then(|| {
        "no default that moved in this window is known by that name with that old value".to_owned()
    })
}

/// Why an observation of a part of the window decides nothing on all of it.
fn wider(question: &WhyQuestion, shown: &ObservationShown, is_part: bool) -> Option<String> {
    let measured = shown.window.as_ref().filter(|_| !is_part)?;
    let asked = &question.window;
    Some(format!(
        "it was measured from {} to {}, and of {}..{} no jump was measured",
        measured.base, measured.head, asked.base, asked.head
    ))
}

fn same_model(a: &str, b: &str) -> bool {
    match (a.parse::<ModelName>(), b.parse::<ModelName>()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a.eq_ignore_ascii_case(b),
    }
}

/// Lets measurements decide on one commit.
fn weigh(
    candidate: &mut Candidate,
    about: &[&ObservationShown],
    known: &[Observation],
    conventions: &Conventions,
) {
    let mut told: Vec<(&str, Finding)> = Vec::new();
    for shown in about {
        let finding = shown.finding();
        let points = match (&shown.set_aside, finding) {
            (Some(_), _) => 0.0,
            (None, Finding::Explains) => conventions.points.explains,
            (None, Finding::NoJump) => 0.0,
            (None, Finding::Nothing | Finding::Opposes) => conventions.points.nothing,
        };
        let mut words = match &shown.set_aside {
            Some(why) => format!("measured, but not of this question: {}; {why}", shown.words()),
            None => shown.words(),
        };
        if shown.set_aside.is_none() {
            if let Some(speed) = &shown.speed {
                words.push_str(&format!("; {}", speed.bound));
            }
            // A second one of its kind confirms, and adds no points.
            let points = if told.contains(&(shown.kind, finding)) { 0.0 } else { points };
            told.push((shown.kind, finding));
            candidate.score += points;
            candidate.reasons.push(Reason {
                kind: ReasonKind::Measured,
                points,
                words,
                evidence: Vec::new(),
            });
        } else {
            candidate.reasons.push(Reason {
                kind: ReasonKind::Measured,
                points,
                words,
                evidence: Vec::new(),
            });
        }
    }
    // Two of a kind that contradict each other confirm nothing.
    let against = |kind: &str| {
        let mut of_kind = told.iter().filter(|(of, _)| *of == kind);
        of_kind.any(|(_, finding)| matches!(finding, Finding::Nothing | Finding::Opposes))
    };
    let mut explaining = told.iter().filter(|(_, finding)| *finding == Finding::Explains);
    let confirmed = explaining.any(|(kind, _)| !against(kind));
    if let (true, Some(grade)) = (
        confirmed,
        known.iter().find(|one| about.iter().any(|a| a.id == one.id())).map(Observation::grade),
    ) {
        candidate.grade = grade;
        candidate.verdict = Verdict::ConfirmedByToggle;
        if let Some(ruled_out) = candidate.verdict_reason.take() {
            for reason in candidate.reasons.iter_mut().filter(|r| r.words == ruled_out) {
                candidate.score -= reason.points;
                reason.points = 0.0;
                reason.words.push_str(" (so a rule says; the measurement says otherwise)");
            }
        }
    }
    candidate.reasons.sort_by(|a, b| b.points.abs().total_cmp(&a.points.abs()));
}
