//! Gathering what a stretch of time holds.

use std::collections::BTreeMap;

use chrono::{DateTime, Datelike as _, TimeDelta, Utc};
use headwater_store::Store;
use headwater_store::evidence::Basis;
use headwater_store::upstream::{Upstream, Upstreams};

use super::part::{Part, TOLD_BESIDE, is_moved};
use super::report::{Digest, ModelChanged, Plots};
use super::{DigestRequest, Period, chains, headline};
use crate::QueryError;
use crate::defaults::{self, EventRow};
use crate::derive;
use crate::models;

/// Weeks that plots go back.
const WEEKS: usize = 26;

/// What moved in a stretch of time.
///
/// # Errors
/// Those of the store, and of what is not crawled.
pub fn digest(
    store: &mut Store,
    upstreams: &Upstreams,
    request: &DigestRequest<'_>,
) -> Result<Digest, QueryError> {
    let period = &request.period;
    let mut out = empty(request);
    let mut weeks: BTreeMap<(i32, u32), usize> = BTreeMap::new();
    for (part, events) in parts(store, upstreams, request)? {
        out.join(part);
        for event in events.iter().filter(|event| is_moved(event) && event.date < period.to) {
            if !TOLD_BESIDE.contains(&event.scope.as_str()) {
                let week = event.date.iso_week();
                *weeks.entry((week.year(), week.week())).or_default() += 1;
            }
        }
    }
    chains::joined(&mut out.defaults);
    // What reaches everybody comes before what some build or flag decides.
    out.defaults.sort_by_key(|one| (rank(&one.scope), one.date, one.id.clone()));
    out.models = models_changed(store, period)?;
    out.plots.defaults = series(&weeks, period.to - TimeDelta::seconds(1));
    out.headline = headline::line(&out);
    Ok(out)
}

/// A digest that nothing was gathered for yet.
fn empty(request: &DigestRequest<'_>) -> Digest {
    Digest {
        schema: "headwater/digest/1",
        period: request.period.clone(),
        headline: String::new(),
        coverage: Vec::new(),
        newest: BTreeMap::new(),
        defaults: Vec::new(),
        work: Vec::new(),
        toolchain: Vec::new(),
        pins: Vec::new(),
        releases: Vec::new(),
        tags: BTreeMap::new(),
        models: Vec::new(),
        advisories: Vec::new(),
        lag: Vec::new(),
        absences: Vec::new(),
        corrections: Vec::new(),
        plots: Plots::default(),
        question: request.question.clone(),
    }
}

/// Each upstream's part, with all events of its ledger.
fn parts(
    store: &mut Store,
    upstreams: &Upstreams,
    request: &DigestRequest<'_>,
) -> Result<Vec<(Digest, Vec<EventRow>)>, QueryError> {
    if request.jobs <= 1 || request.upstreams.len() <= 1 {
        let own = request.upstreams.iter();
        return own.map(|upstream| part(store, upstreams, upstream, request)).collect();
    }
    // One alone can write.
    for upstream in &request.upstreams {
        let extractors = request.sources.extractors;
        derive::default_events::derive(store, upstream, extractors, request.jobs)?;
        derive::places::derive(store, upstream)?;
    }
    let stores = request.upstreams.iter().map(|_| store.reopen()).collect::<Result<Vec<_>, _>>()?;
    std::thread::scope(|scope| {
        let each = request.upstreams.iter().zip(stores);
        let workers: Vec<_> = each
            .map(|(upstream, mut store)| {
                scope.spawn(move || part(&mut store, upstreams, upstream, request))
            })
            .collect();
        let done = workers.into_iter().map(|worker| worker.join());
        done.map(|part| part.map_err(|_| QueryError::ThreadDied)?).collect()
    })
}

fn part(
    store: &mut Store,
    upstreams: &Upstreams,
    upstream: &Upstream,
    request: &DigestRequest<'_>,
) -> Result<(Digest, Vec<EventRow>), QueryError> {
    // What became known of a knob afterwards is no part of the time.
    // All that is stored: the branch's head need not be, where windows were crawled.
    let question = defaults::Question {
        all: true,
        tell: defaults::Tell::Moves,
        jobs: request.jobs,
        ..defaults::Question::default()
    };
    let events = defaults::ask(store, upstream, request.sources.extractors, &question)?.events;
    let mut out = empty(request);
    let part = Part::new(store, upstreams, upstream, request)?;
    part.newest(&mut out)?;
    let inside = part.defaults(&events, &mut out)?;
    part.commits(&mut out)?;
    part.releases(&inside, &mut out)?;
    part.absences(&mut out)?;
    Ok((out, events))
}

impl Digest {
    /// Adds what was gathered of another upstream.
    fn join(&mut self, other: Digest) {
        self.coverage.extend(other.coverage);
        self.newest.extend(other.newest);
        self.defaults.extend(other.defaults);
        self.work.extend(other.work);
        self.toolchain.extend(other.toolchain);
        self.pins.extend(other.pins);
        self.releases.extend(other.releases);
        self.tags.extend(other.tags);
        self.advisories.extend(other.advisories);
        self.lag.extend(other.lag);
        self.absences.extend(other.absences);
        self.corrections.extend(other.corrections);
        self.plots.lag.extend(other.plots.lag);
    }
}

/// In which order scopes matter to somebody who sets nothing.
fn rank(scope: &str) -> usize {
    let order = ["request-option", "sampling", "context", "server", "env", "runner", "runner-flag"];
    order.iter().position(|one| *one == scope).unwrap_or(order.len())
}

/// Moved defaults of each of the last weeks up to a moment.
fn series(weeks: &BTreeMap<(i32, u32), usize>, until: DateTime<Utc>) -> Vec<(String, usize)> {
    let mut out: Vec<(String, usize)> = (0..WEEKS)
        .map(|back| {
            let days = i64::try_from(back).unwrap_or(0) * 7;
            let week = (until - TimeDelta::days(days)).iso_week();
            let key = (week.year(), week.week());
            (format!("{}-W{:02}", key.0, key.1), weeks.get(&key).copied().unwrap_or(0))
        })
        .collect();
    out.reverse();
    out
}

/// The models whose published parameters were first seen changed in the time.
fn models_changed(store: &Store, period: &Period) -> Result<Vec<ModelChanged>, QueryError> {
    let mut out = Vec::new();
    let mut names: Vec<_> = store.models()?.into_iter().map(|seen| seen.name).collect();
    names.sort_by_key(ToString::to_string);
    names.dedup();
    for name in names {
        for entry in models::model(store, &name)?.history {
            if period.holds(entry.first_seen) && !entry.changes.is_empty() {
                let digest = entry.manifest.map_or_else(String::new, |digest| digest.hex());
                let version = match entry.manifest {
                    Some(digest) => store.model_version(digest)?,
                    None => None,
                };
                out.push(ModelChanged {
                    id: format!("model:{name}:{}", digest.get(..12).unwrap_or("gone")),
                    model: name.to_string(),
                    seen: entry.first_seen,
                    changes: entry.changes,
                    grade: version.map_or(Basis::Published.grade(), |one| one.grade()),
                });
            }
        }
    }
    Ok(out)
}
