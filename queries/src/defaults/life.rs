//! Events as rows: with their commits, tags, ways back, and what became of them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use headwater_store::evidence::{Claim, Method, Source};
use headwater_store::{CommitId, DefaultEventRow, Oid, Store, StoredCommit, UpstreamId};

use super::EventRow;
use crate::QueryError;
use crate::ledger::{Event, Extractors, How, OptionTable, Scope, Spellings};

/// What rows are made with.
pub struct EventSource<'a> {
    /// The store.
    pub store: &'a Store,
    /// The upstream.
    pub upstream: &'a str,
    /// The extractors.
    pub extractors: &'a Extractors,
    /// The spellings of its knobs.
    pub spellings: &'a Spellings,
    /// Whether ways back are told.
    pub ways: bool,
    /// The options that its parser takes at the version in question, where that is known.
    pub(crate) options: Option<Arc<OptionTable>>,
}

/// Every event of an upstream, with the commit of each.
pub struct Known {
    events: Vec<(DefaultEventRow, Event)>,
    commits: HashMap<CommitId, StoredCommit>,
}

impl Known {
    /// The knobs of all events, each with its other spellings.
    pub fn knobs(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.events.iter().map(|(_, event)| (event.knob.as_str(), event.names.as_slice()))
    }
}

/// Reads all events of an upstream, oldest commit first.
///
/// # Errors
/// Those of the store.
pub fn known(store: &Store, upstream: UpstreamId) -> Result<Known, QueryError> {
    let rows = store.default_events(upstream)?;
    let mut ids: Vec<CommitId> = rows.iter().map(|r| r.commit).collect();
    ids.dedup();
    let commits: HashMap<CommitId, StoredCommit> =
        store.commits(upstream, &ids)?.into_iter().map(|c| (c.id(), c)).collect();
    let mut events: Vec<(DefaultEventRow, Event)> = rows
        .into_iter()
        .map(|row| {
            let event = event(&row);
            (row, event)
        })
        .collect();
    events.sort_by_key(|(row, _)| commits.get(&row.commit).map(|c| c.commit().committed));
    Ok(Known { events, commits })
}

pub(crate) fn event(row: &DefaultEventRow) -> Event {
    Event {
        extractor: row.extractor.clone(),
        knob: row.knob.clone(),
        scope: row.scope.parse().unwrap_or(Scope::Server),
        old: row.old.clone(),
        new: row.new.clone(),
        path: row.path.clone(),
        line: row.line,
        before: row.before.clone(),
        how: serde_json::from_str(&row.how).unwrap_or(How::Literal),
        names: serde_json::from_str(&row.names).unwrap_or_default(),
    }
}

/// The rows of the events in some commits, oldest first. Which values never shipped and
/// which come back is judged over the knob's life inside the same commits.
///
/// # Errors
/// Those of the store.
pub fn rows(
    source: &EventSource<'_>,
    known: &Known,
    inside: &[CommitId],
) -> Result<Vec<EventRow>, QueryError> {
    let inside: HashSet<CommitId> = inside.iter().copied().collect();
    let mut out: Vec<EventRow> = Vec::new();
    // For each knob: the row that set its value, and who left which value.
    let mut current: HashMap<(String, String), usize> = HashMap::new();
    let mut left: HashMap<(String, String), Vec<(String, Oid)>> = HashMap::new();
    let mut place = None;
    for (row, event) in known.events.iter().filter(|(r, _)| inside.contains(&r.commit)) {
        let Some(commit) = known.commits.get(&row.commit) else { continue };
        // A commit's events follow each other.
        let place = match &place {
            Some((of, place)) if *of == row.commit => place,
            _ => &place.insert((row.commit, source.store.place(row.commit)?)).1,
        };
        let claim = Claim::new(
            format!("{} moved", event.knob),
            Source::Rule,
            Method::Rule,
            commit.evidence_at(&event.path),
            Vec::new(),
        );
        let key = (event.extractor.clone(), event.knob.clone());
        let sha = commit.commit().oid;
        let final_tag = place.as_ref().and_then(|p| p.first_final_shipped.clone());
        let mut old_never_shipped = false;
        if let Some(last) = current.get(&key).and_then(|at| out.get_mut(*at)) {
            last.never_shipped = last.new.is_some()
                && final_tag.is_some()
                && last.first_final_shipped == final_tag
                && last.sha != sha;
            // One that it had come back to was shipped before.
            old_never_shipped = last.never_shipped && last.flips_back.is_none();
        }
        let lost = left.entry(key.clone()).or_default();
        let flips_back = event
            .new
            .as_ref()
            .and_then(|new| lost.iter().rev().find(|(value, _)| value == new))
            .map(|(_, sha)| *sha);
        if let Some(old) = &event.old {
            lost.push((old.clone(), sha));
        }
        current.insert(key, out.len());
        let resolves = source.extractors.resolves(source.upstream, event);
        out.push(EventRow {
            upstream: source.upstream.to_owned(),
            commit: row.commit,
            sha,
            date: commit.commit().committed,
            subject: commit.commit().subject().to_owned(),
            knob: event.knob.clone(),
            scope: row.scope.clone(),
            old: event.old.clone(),
            new: event.new.clone(),
            how: Some(event.how.clone()),
            path: event.path.clone(),
            line: event.line,
            first_tag: place.as_ref().and_then(|p| p.first_tag.clone()),
            first_shipped: place.as_ref().and_then(|p| p.first_shipped.clone()),
            first_final_shipped: final_tag,
            never_shipped: false,
            flips_back,
            // What no release had worked with no release: nobody can want it back.
            restore: match old_never_shipped || !source.ways {
                true => Vec::new(),
                false => {
                    source.extractors.restore(event, source.spellings, source.options.as_deref())
                }
            },
            resolves: resolves.into_iter().map(|r| r.id.clone()).collect(),
            names: event.names.clone(),
            extractor: event.extractor.clone(),
            grade: claim.grade(),
        });
    }
    // What is gone at the end cannot be set any more, whatever it was before.
    let gone: HashSet<(String, String)> = current
        .into_iter()
        .filter(|(_, at)| out.get(*at).is_some_and(|row| row.new.is_none()))
        .map(|(key, _)| key)
        .collect();
    let by_name = [Scope::Env, Scope::RequestOption, Scope::Build].map(|scope| scope.name());
    for row in &mut out {
        if by_name.contains(&row.scope.as_str())
            && gone.contains(&(row.extractor.clone(), row.knob.clone()))
        {
            row.restore.clear();
        }
    }
    Ok(out)
}
