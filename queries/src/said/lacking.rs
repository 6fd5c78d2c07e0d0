//! What the store lacks of what people wrote of a window, in the order in which it is
//! worth asking for.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use headwater_store::upstream::Upstreams;
use headwater_store::{Oid, StatementKind, Store};

use crate::QueryError;
use crate::why::{PullSource, WhyReport, WindowReport};

/// At most so many texts of one upstream's pull requests are asked for.
const PULLS: usize = 60;
/// At most so many words are searched for in reports of one upstream.
const WORDS: usize = 8;
/// Advisories are asked for again after so many hours.
const FRESH_HOURS: i64 = 24;

/// What the store lacks of one upstream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lacking {
    /// The upstream's name.
    pub upstream: String,
    /// Tags with notes that people write, and none stored.
    pub releases: Vec<String>,
    /// Advisories were not asked for, or long ago.
    pub advisories: bool,
    /// Commits whose pull request is not known, the likeliest candidates first.
    pub commits: Vec<Oid>,
    /// How many of these are among a report's first rows.
    pub first_commits: usize,
    /// Pull requests whose text is not stored.
    pub pulls: Vec<u32>,
    /// Words that reports are to be searched for, and were not.
    pub words: Vec<String>,
}

/// What the store lacks of the statements on a report's windows: the window itself first.
///
/// # Errors
/// Those of the store.
pub fn lacking(
    store: &Store,
    upstreams: &Upstreams,
    report: &WhyReport,
    now: DateTime<Utc>,
) -> Result<Vec<Lacking>, QueryError> {
    let nested = report.nested.iter().filter_map(|nested| nested.window.as_ref());
    std::iter::once(&report.window)
        .chain(nested)
        .map(|window| of_window(store, upstreams, report, window, now))
        .collect()
}

fn of_window(
    store: &Store,
    upstreams: &Upstreams,
    report: &WhyReport,
    window: &WindowReport,
    now: DateTime<Utc>,
) -> Result<Lacking, QueryError> {
    let upstream = upstreams.get(&window.upstream)?;
    let id = store.upstream(&upstream.name)?;
    let own: Vec<_> = report.candidates.iter().filter(|c| c.upstream == upstream.name).collect();
    let commits = own.iter().map(|c| c.sha).collect();
    let mut releases: Vec<String> =
        super::noted_tags(store, upstream, id, &commits)?.into_iter().map(|tag| tag.name).collect();
    let mut versions = releases.clone();
    let mut lacks = Vec::new();
    for tag in releases.drain(..) {
        let asked = super::has_none(store, id, &tag)?;
        let seen = store.statement(id, StatementKind::Release, &tag)?;
        if !asked && !seen.iter().any(|one| one.transport != "feed") {
            lacks.push(tag);
        }
    }
    let advisories = store
        .look(id, StatementKind::Advisory, "all")?
        .is_none_or(|look| now - look.observed > TimeDelta::hours(FRESH_HOURS));
    let (mut unknown, mut first_commits) = (Vec::new(), 0);
    for (row, candidate) in own.iter().filter(|c| c.verdict.is_open()).enumerate() {
        if candidate.pull_source == PullSource::NotLookedUp {
            first_commits += usize::from(row < 5);
            unknown.push(candidate.sha);
        }
    }
    let mut pulls = Vec::new();
    for number in own.iter().filter(|c| c.verdict.is_open()).filter_map(|c| c.pr).take(PULLS) {
        let asked = store.look(id, StatementKind::Pull, &number.to_string())?.is_some();
        if !asked && store.statement(id, StatementKind::Pull, &number.to_string())?.is_empty() {
            pulls.push(number);
        }
    }
    let bare =
        |tag: &String| tag.strip_prefix(upstream.tag_prefix.as_str()).unwrap_or(tag).to_owned();
    versions.push(window.head.clone());
    let mut words: Vec<String> = versions.iter().rev().take(4).map(bare).collect();
    let knobs: BTreeSet<&String> = report
        .default_events
        .iter()
        .filter(|e| e.counts() && own.iter().any(|c| c.sha == e.sha))
        .filter(|e| super::named::knob_pattern(&e.knob).is_some())
        .map(|e| &e.knob)
        .collect();
    words.extend(knobs.into_iter().take(3).cloned());
    words.extend(own.iter().filter(|c| c.verdict.is_open()).take(3).map(|c| c.sha.short()));
    let mut seen = BTreeSet::new();
    words.retain(|word| seen.insert(word.clone()));
    let mut unsearched = Vec::new();
    for word in words.into_iter().take(WORDS) {
        if store.look(id, StatementKind::Issue, &format!("search:{word}"))?.is_none() {
            unsearched.push(word);
        }
    }
    Ok(Lacking {
        upstream: upstream.name.clone(),
        releases: lacks,
        advisories,
        commits: unknown,
        first_commits,
        pulls,
        words: unsearched,
    })
}
