//! One upstream's part of a digest: its commits, pins, releases and lag.

use std::collections::{BTreeMap, HashSet};

use chrono::DateTime;
use headwater_store::evidence::{Basis, Coverage};
use headwater_store::upstream::{Upstream, Upstreams};
use headwater_store::{ListedCommit, Rows, Store, StoredCommit, UpstreamId};

use super::report::{Digest, Lagging, PinMoved, Work};
use super::{DigestRequest, Period};
use crate::QueryError;
use crate::defaults::EventRow;
use crate::derive::labels::Labeller;
use crate::grep::Filter;
use crate::grep::scope::Commits;
use crate::pins::PinReader;
use crate::said::{self, Change, Finder, NoteRules};
use crate::shipping;
use crate::window::{WindowSpec, span};

/// The classes of work that a digest tells, and those of toolchains.
pub(super) const WORK: [&str; 3] = ["sampler", "cuda", "moe"];
pub(super) const TOOLCHAIN: [&str; 2] = ["toolchain", "abi"];
/// Releases that plots go back.
const RELEASES: usize = 30;
/// Scopes that change nothing by themselves: they are told under the others' entries.
pub(super) const TOLD_BESIDE: [&str; 3] = ["docs", "cli-help", "bench"];

/// Whether an event is a default that went from one value to another.
pub(super) fn is_moved(event: &EventRow) -> bool {
    event.old.is_some() && event.new.is_some()
}

/// One upstream's part.
pub(super) struct Part<'a> {
    pub(super) store: &'a Store,
    pub(super) upstreams: &'a Upstreams,
    pub(super) upstream: &'a Upstream,
    pub(super) request: &'a DigestRequest<'a>,
    pub(super) id: UpstreamId,
    /// The branch's commits of the time, oldest first.
    pub(super) inside: Vec<ListedCommit>,
    pub(super) coverage: Coverage,
}

impl<'a> Part<'a> {
    pub(super) fn new(
        store: &'a Store,
        upstreams: &'a Upstreams,
        upstream: &'a Upstream,
        request: &'a DigestRequest<'a>,
    ) -> Result<Self, QueryError> {
        let filter = match &request.marks {
            Some(_) => Filter::default(),
            None => filter(&request.period),
        };
        let mut scopes = Commits::each(store, &filter, &[upstream])?;
        let scope = scopes.pop().ok_or_else(|| QueryError::NoUpstream(upstream.name.clone()))?;
        let mut coverage = scope.coverage(store)?;
        let mut inside: Vec<ListedCommit> = scope.scoped().copied().collect();
        if let Some(marks) = &request.marks {
            let row = |rows: &Rows| rows.get(&upstream.name).copied();
            let (after, through) = (row(&marks.after), row(&marks.through));
            inside.retain(|commit| {
                let new = match after {
                    Some(after) => commit.id.row() > after,
                    // An upstream that no run told before begins with the time.
                    None => commit.committed >= request.period.from.timestamp(),
                };
                new && through.is_none_or(|through| commit.id.row() <= through)
            });
        }
        inside.sort_by_key(|commit| (commit.committed, commit.oid));
        if request.marks.is_some() {
            // What is told is what came: nothing is said of the rest.
            let ids: Vec<_> = inside.iter().map(|commit| commit.id).collect();
            coverage = store.coverage(headwater_store::Scope {
                upstream: scope.id,
                name: format!("{}, since the last run", upstream.name),
                commits: &ids,
                reported: ids.len() as u64,
                missing: Vec::new(),
            })?;
        }
        Ok(Part { store, upstreams, upstream, request, id: scope.id, inside, coverage })
    }

    pub(super) fn period(&self) -> &Period {
        &self.request.period
    }

    /// Until when its commits are stored, where that is before the end of the time. What came
    /// since the last run has no such end.
    pub(super) fn newest(&self, out: &mut Digest) -> Result<(), QueryError> {
        let list = self.store.commit_list(self.id)?;
        let newest = list.iter().map(|commit| commit.committed).max();
        let newest = newest.and_then(|at| DateTime::from_timestamp(at, 0));
        if let Some(at) = newest.filter(|at| self.request.marks.is_none() && *at < self.period().to)
        {
            out.newest.insert(self.upstream.name.clone(), at);
        }
        Ok(())
    }

    /// Work of the told classes, and pins that moved.
    pub(super) fn commits(&self, out: &mut Digest) -> Result<(), QueryError> {
        let mut pins = PinReader::new(self.store, self.upstreams, self.upstream)?;
        let labeller = Labeller::new(self.store, &self.upstream.name, self.request.sources)?;
        for listed in &self.inside {
            let labels = labeller.labels(listed.id)?;
            let of =
                |told: &[&str]| labels.iter().any(|label| told.contains(&label.class.as_str()));
            let is_pin = of(&["pin"]);
            if !(is_pin || of(&WORK) || of(&TOOLCHAIN)) {
                continue;
            }
            let Some(stored) = self.store.commits(self.id, &[listed.id])?.pop() else { continue };
            if is_pin {
                self.pin_moves(&mut pins, &stored, out)?;
                continue;
            }
            let commit = stored.commit();
            let mut classes: Vec<String> = labels.iter().map(|label| label.class.clone()).collect();
            classes.dedup();
            let work = Work {
                id: format!("commit:{}:{}", self.upstream.name, commit.oid.short()),
                upstream: self.upstream.name.clone(),
                sha: commit.oid,
                subject: commit.subject().to_owned(),
                date: commit.committed,
                classes,
                rules: labels.iter().map(|label| label.rule.clone()).collect(),
                pr: commit.pull_request(),
                grade: Basis::Rule.grade(),
            };
            self.reverted(&work.id, &stored, out)?;
            match of(&WORK) {
                true => out.work.push(work),
                false => out.toolchain.push(work),
            }
        }
        out.coverage.push(self.coverage.clone());
        Ok(())
    }

    fn pin_moves(
        &self,
        reader: &mut PinReader<'_>,
        stored: &StoredCommit,
        out: &mut Digest,
    ) -> Result<(), QueryError> {
        let commit = stored.commit();
        let parent = match commit.parents.first() {
            Some(parent) => self.store.commit(self.id, *parent)?,
            None => None,
        };
        let Some(parent) = parent else { return Ok(()) };
        for moved in reader.moves([parent.commit().tree, commit.tree])? {
            let Some(any) = moved.new.as_ref().or(moved.old.as_ref()) else { continue };
            let (old, new) = (moved.old.as_ref(), moved.new.as_ref());
            let mut entry = PinMoved {
                id: format!("pin:{}:{}:{}", self.upstream.name, commit.oid.short(), any.pin),
                upstream: self.upstream.name.clone(),
                sha: commit.oid,
                date: commit.committed,
                pin: any.pin.clone(),
                old: old.map(|pin| pin.value.clone()),
                new: new.map(|pin| pin.value.clone()),
                commits: None,
                classes: BTreeMap::new(),
                gap: None,
                grade: Basis::Objects.grade(),
            };
            match (old, new, self.upstreams.find(&any.upstream)) {
                (Some(old), Some(new), Some(pinned)) => {
                    let spec = WindowSpec { base: old.value.clone(), head: new.value.clone() };
                    match span(self.store, pinned, &spec) {
                        Ok(span) => {
                            entry.commits = Some(span.nodes.len());
                            let labeller =
                                Labeller::new(self.store, &pinned.name, self.request.sources)?;
                            for id in span.ids() {
                                let mut classes: Vec<String> =
                                    labeller.labels(id)?.into_iter().map(|l| l.class).collect();
                                classes.sort();
                                classes.dedup();
                                for class in classes {
                                    *entry.classes.entry(class).or_default() += 1;
                                }
                            }
                        }
                        Err(error) => entry.gap = Some(error.to_string()),
                    }
                }
                (_, _, None) => entry.gap = Some(format!("{} is not tracked", any.upstream)),
                _ => entry.gap = Some("it is in one of the trees alone".to_owned()),
            }
            out.pins.push(entry);
        }
        Ok(())
    }

    /// The releases of the time with the lines that matter, and its advisories.
    pub(super) fn releases(&self, changes: &[Change], out: &mut Digest) -> Result<(), QueryError> {
        let newest = self.lag(out)?;
        let mut commits = HashSet::new();
        let mut count = 0;
        // Of thousands of tags few are of the time, and the graph knows when each was made.
        let graph = self.store.graph(self.id)?;
        let time = self.period().from.timestamp()..self.period().to.timestamp();
        for tag in self.store.tags(self.id)? {
            let made = graph.node(tag.commit).map(|node| graph.committed(node));
            if made.is_some_and(|at| time.contains(&at)) {
                commits.insert(tag.commit);
                count += 1;
            }
        }
        let until = Some(self.period().to.timestamp() - 1);
        // The patterns cost more than all else here.
        if self.store.has_statements(self.id)? {
            let (rules, finder) = (NoteRules::built_in()?, Finder::new(changes.to_vec())?);
            for tag in said::noted_tags(self.store, self.upstream, self.id, &commits)? {
                let (store, upstream) = (self.store, self.upstream);
                let found = said::release(store, upstream, self.id, &tag, &rules, &finder, until)?;
                if let Some(release) = found {
                    count -= 1;
                    out.releases.push(release);
                }
            }
        }
        if count > 0 {
            out.tags.insert(self.upstream.name.clone(), count);
        }
        let versions: Vec<(&'static str, String)> =
            newest.into_iter().map(|tag| ("newest", tag)).collect();
        let all = said::advisories(self.store, self.upstream, self.id, &versions, until)?;
        out.advisories.extend(
            all.into_iter().filter(|one| one.published.is_some_and(|at| self.period().holds(at))),
        );
        Ok(())
    }

    /// How far behind what they pin the releases up to the end of the time were;
    /// returns the newest of them.
    fn lag(&self, out: &mut Digest) -> Result<Option<String>, QueryError> {
        if self.upstream.pins.iter().all(|pin| self.upstreams.find(&pin.upstream).is_none()) {
            return Ok(None);
        }
        let lag = shipping::lag(
            self.store,
            self.upstreams,
            self.upstream,
            RELEASES,
            Some(self.period().to),
            None,
        )?;
        let rows: Vec<Lagging> = lag
            .releases
            .into_iter()
            .map(|row| Lagging { upstream: self.upstream.name.clone(), row })
            .collect();
        let newest = rows.first().map(|one| one.row.tag.clone());
        out.lag.extend(rows.first().cloned());
        out.plots.lag.extend(rows.into_iter().rev());
        Ok(newest)
    }
}

/// The branch's commits of a time.
pub(super) fn filter(period: &Period) -> Filter {
    Filter {
        since: Some(period.from.timestamp()),
        until: Some(period.to.timestamp() - 1),
        ..Filter::default()
    }
}
