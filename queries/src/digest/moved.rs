//! The defaults that moved in the time, and what became known of them afterwards.

use std::collections::hash_map::Entry as Known;
use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use headwater_store::{Oid, StoredCommit};

use super::part::{Part, TOLD_BESIDE, is_moved};
use super::report::{Correction, DefaultMoved, Digest};
use crate::QueryError;
use crate::defaults::EventRow;
use crate::ledger::spelling;
use crate::models::{self, EffectsAnswer};
use crate::rank::MentionKind;
use crate::said::Change;

impl Part<'_> {
    /// The defaults that moved; returns what texts may name of them.
    pub(super) fn defaults(
        &self,
        events: &[EventRow],
        out: &mut Digest,
    ) -> Result<Vec<Change>, QueryError> {
        let inside: HashSet<Oid> = self.inside.iter().map(|commit| commit.oid).collect();
        // A pin is told as a pin.
        let homes: HashSet<&str> = self
            .upstream
            .pins
            .iter()
            .flat_map(|pin| &pin.homes)
            .map(|home| home.path.as_str())
            .collect();
        let moved = events
            .iter()
            .filter(|e| is_moved(e) && inside.contains(&e.sha) && !homes.contains(e.path.as_str()));
        let mut groups: Vec<Vec<&EventRow>> = Vec::new();
        for event in moved {
            // The last part of a name is what it is called everywhere.
            let key =
                |e: &EventRow| (e.sha, spelling(e.knob.rsplit('.').next().unwrap_or(&e.knob)));
            match groups.iter_mut().find(|g| g.first().is_some_and(|e| key(e) == key(event))) {
                Some(group) => group.push(event),
                None => groups.push(vec![event]),
            }
        }
        let mut changes = Vec::new();
        let mut effects = HashMap::new();
        for mut group in groups {
            group.sort_by_key(|e| {
                TOLD_BESIDE.iter().position(|scope| *scope == e.scope).map_or(0, |at| at + 1)
            });
            let Some((first, others)) = group.split_first() else { continue };
            changes.push(Change {
                upstream: self.upstream.name.clone(),
                sha: first.sha,
                pulls: self
                    .store
                    .commit(self.id, first.sha)?
                    .and_then(|c| c.commit().pull_request())
                    .into_iter()
                    .collect(),
                knobs: vec![first.knob.clone()],
            });
            let entry = self.default_moved(first, others, &mut effects)?;
            self.corrections(&entry, first, events, out)?;
            out.defaults.push(entry);
        }
        Ok(changes)
    }

    fn default_moved(
        &self,
        first: &EventRow,
        others: &[&EventRow],
        effects: &mut HashMap<Oid, Vec<EffectsAnswer>>,
    ) -> Result<DefaultMoved, QueryError> {
        let mut restore = first.restore.clone();
        for way in others.iter().flat_map(|e| &e.restore) {
            if !restore.contains(way) {
                restore.push(way.clone());
            }
        }
        let (mut reaches, mut models, mut unless) = (Vec::new(), 0, None);
        // Only what a request can meet may reach a model.
        let met = ["request-option", "sampling", "context"].contains(&first.scope.as_str());
        if met && !self.store.models()?.is_empty() {
            let answers = match effects.entry(first.sha) {
                Known::Occupied(known) => known.into_mut(),
                Known::Vacant(none) => none.insert(models::effects(
                    self.store,
                    self.upstreams,
                    self.request.sources.extractors,
                    Some(&self.upstream.name),
                    &first.sha.to_string(),
                )?),
            };
            for answer in answers.iter() {
                models = answer.models;
                let of =
                    answer.effects.iter().filter(|e| e.knob == first.knob && e.path == first.path);
                for effect in of {
                    reaches.extend(effect.reached.iter().map(|one| one.model.to_string()));
                    unless = unless.or(effect.note.clone());
                }
            }
            reaches.sort();
            reaches.dedup();
        }
        Ok(DefaultMoved {
            id: format!("default:{}:{}:{}", self.upstream.name, first.sha.short(), first.knob),
            upstream: self.upstream.name.clone(),
            sha: first.sha,
            subject: first.subject.clone(),
            date: first.date,
            knob: first.knob.clone(),
            scope: first.scope.clone(),
            old: first.old.clone().unwrap_or_default(),
            new: first.new.clone().unwrap_or_default(),
            path: first.path.clone(),
            line: first.line,
            also: others.iter().map(|e| format!("{}:{}", e.path, e.line)).collect(),
            first_shipped: match first.never_shipped {
                true => None,
                false => self.shipped(first.first_final_shipped.as_deref())?.map(|(tag, _)| tag),
            },
            moved_on: None,
            undone: false,
            restore,
            unless: unless.filter(|_| !reaches.is_empty()),
            reaches,
            models,
            grade: first.grade,
        })
    }

    /// A release that was made by the end of the time, and when.
    fn shipped(&self, tag: Option<&str>) -> Result<Option<(String, DateTime<Utc>)>, QueryError> {
        let made = self.made(tag)?;
        Ok(made.filter(|(_, date)| *date < self.period().to))
    }

    /// A release and when its commit was made.
    fn made(&self, tag: Option<&str>) -> Result<Option<(String, DateTime<Utc>)>, QueryError> {
        let Some(name) = tag else { return Ok(None) };
        let Some(tag) = self.store.tag(self.id, name)? else { return Ok(None) };
        let commit = self.store.commit(self.id, tag.commit)?;
        Ok(commit.map(|commit| (name.to_owned(), commit.commit().committed)))
    }

    /// What became known of a moved default after the time.
    fn corrections(
        &self,
        entry: &DefaultMoved,
        event: &EventRow,
        events: &[EventRow],
        out: &mut Digest,
    ) -> Result<(), QueryError> {
        let to = self.period().to;
        if entry.first_shipped.is_none()
            && !event.never_shipped
            && let Some((tag, date)) = self.made(event.first_final_shipped.as_deref())?
            && date >= to
        {
            let what = format!("first shipped in {tag}");
            out.corrections.push(Correction { of: entry.id.clone(), what, sha: None, date });
        }
        let later = events.iter().filter(|e| {
            is_moved(e) && e.date >= to && e.path == event.path && e.knob == event.knob
        });
        if let Some(next) = later.min_by_key(|e| e.date) {
            let what = format!(
                "moved again: {} → {}",
                next.old.as_deref().unwrap_or_default(),
                next.new.as_deref().unwrap_or_default()
            );
            out.corrections.push(Correction {
                of: entry.id.clone(),
                what,
                sha: Some(next.sha),
                date: next.date,
            });
        }
        if let Some(stored) = self.store.commit(self.id, entry.sha)? {
            self.reverted(&entry.id, &stored, out)?;
        }
        Ok(())
    }

    /// A later commit that takes an entry's commit back.
    pub(super) fn reverted(
        &self,
        of: &str,
        stored: &StoredCommit,
        out: &mut Digest,
    ) -> Result<(), QueryError> {
        let pull = stored.commit().pull_request();
        for (by, kind) in self.store.named_by(self.id, stored.commit().oid, pull)? {
            if kind != MentionKind::Revert as u8 {
                continue;
            }
            for by in self.store.commits(self.id, &[by])? {
                let commit = by.commit();
                if commit.committed >= self.period().to {
                    out.corrections.push(Correction {
                        of: of.to_owned(),
                        what: format!("taken back: {}", commit.subject()),
                        sha: Some(commit.oid),
                        date: commit.committed,
                    });
                }
            }
        }
        Ok(())
    }
}
