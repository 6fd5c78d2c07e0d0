//! Gathering what a stretch of time holds.

use std::collections::BTreeMap;

use chrono::{DateTime, Datelike as _, TimeDelta, Utc};
use headwater_store::Store;
use headwater_store::evidence::Basis;
use headwater_store::upstream::Upstreams;

use super::part::{Part, TOLD_BESIDE, is_moved};
use super::report::{Digest, ModelChanged, Plots};
use super::{DigestRequest, Period, chains, headline};
use crate::QueryError;
use crate::defaults;
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
    let mut out = Digest {
        schema: "headwater/digest/1",
        period: period.clone(),
        headline: String::new(),
        coverage: Vec::new(),
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
    };
    let mut weeks: BTreeMap<(i32, u32), usize> = BTreeMap::new();
    for upstream in &request.upstreams {
        // What became known of a knob afterwards is no part of the time.
        // All that is stored: the branch's head need not be, where windows were crawled.
        let question = defaults::Question {
            all: true,
            tell: defaults::Tell::Moves,
            jobs: request.jobs,
            ..defaults::Question::default()
        };
        let events = defaults::ask(store, upstream, request.sources.extractors, &question)?.events;
        let part = Part::new(store, upstreams, upstream, request)?;
        let inside = part.defaults(&events, &mut out)?;
        part.commits(&mut out)?;
        part.releases(&inside, &mut out)?;
        part.absences(&mut out)?;
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
