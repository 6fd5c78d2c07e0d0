//! Gathering what a stretch of time holds.

use std::collections::{BTreeMap, HashSet};

use chrono::{DateTime, TimeDelta, Utc};
use headwater_store::evidence::{Absence, Coverage, Grade, Method};
use headwater_store::upstream::{Upstream, Upstreams};
use headwater_store::{ListedCommit, Oid, Store, StoredCommit, UpstreamId};

use super::report::{
    Correction, DefaultMoved, Digest, Lagging, ModelChanged, PinMoved, Plots, Work,
};
use super::{DigestRequest, Period, headline};
use crate::QueryError;
use crate::defaults::{self, EventRow};
use crate::grep::scope::Commits;
use crate::grep::{self, Filter, GrepRequest, Within, quote};
use crate::ledger::spelling;
use crate::models;
use crate::pins::PinReader;
use crate::rank::MentionKind;
use crate::said::{self, Change, Finder, SaidRules};
use crate::shipping;
use crate::why;
use crate::window::{WindowSpec, span};

/// The classes of work that a digest tells, and those of toolchains.
const WORK: [&str; 3] = ["sampler", "cuda", "moe"];
const TOOLCHAIN: [&str; 2] = ["toolchain", "abi"];
/// Weeks and releases that plots go back.
const WEEKS: usize = 26;
const RELEASES: usize = 30;
/// Scopes that change nothing by themselves: they are told under the others' entries.
const TOLD_BESIDE: [&str; 3] = ["docs", "cli-help", "bench"];

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
        let question = defaults::Question { jobs: request.jobs, ..defaults::Question::default() };
        let events = defaults::ask(store, upstream, request.extractors, &question)?.events;
        let part = Part::new(store, upstreams, upstream, request)?;
        let inside = part.defaults(&events, &mut out)?;
        part.commits(&mut out)?;
        part.releases(&inside, &mut out)?;
        part.lag(&mut out)?;
        part.absences(&mut out)?;
        for event in events.iter().filter(|event| is_moved(event) && event.date < period.to) {
            use chrono::Datelike as _;
            if !TOLD_BESIDE.contains(&event.scope.as_str()) {
                let week = event.date.iso_week();
                *weeks.entry((week.year(), week.week())).or_default() += 1;
            }
        }
    }
    out.models = models_changed(store, period)?;
    out.plots.defaults = series(&weeks, period.to - TimeDelta::seconds(1));
    out.headline = headline::line(&out);
    Ok(out)
}

/// Moved defaults of each of the last weeks up to a moment.
fn series(weeks: &BTreeMap<(i32, u32), usize>, until: DateTime<Utc>) -> Vec<(String, usize)> {
    use chrono::Datelike as _;
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

fn is_moved(event: &EventRow) -> bool {
    event.old.is_some() && event.new.is_some()
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
                out.push(ModelChanged {
                    id: format!("model:{name}:{}", digest.get(..12).unwrap_or("gone")),
                    model: name.to_string(),
                    seen: entry.first_seen,
                    changes: entry.changes,
                    grade: Grade::Record,
                });
            }
        }
    }
    Ok(out)
}

/// One upstream's part.
struct Part<'a> {
    store: &'a Store,
    upstreams: &'a Upstreams,
    upstream: &'a Upstream,
    request: &'a DigestRequest<'a>,
    id: UpstreamId,
    /// The branch's commits of the time, oldest first.
    inside: Vec<ListedCommit>,
    coverage: Coverage,
}

impl<'a> Part<'a> {
    fn new(
        store: &'a Store,
        upstreams: &'a Upstreams,
        upstream: &'a Upstream,
        request: &'a DigestRequest<'a>,
    ) -> Result<Self, QueryError> {
        let filter = filter(&request.period);
        let mut scopes = Commits::each(store, &filter, &[upstream])?;
        let scope = scopes.pop().ok_or_else(|| QueryError::NoUpstream(upstream.name.clone()))?;
        let coverage = scope.coverage(store)?;
        let mut inside: Vec<ListedCommit> = scope.scoped().copied().collect();
        inside.sort_by_key(|commit| (commit.committed, commit.oid));
        Ok(Part { store, upstreams, upstream, request, id: scope.id, inside, coverage })
    }

    fn period(&self) -> &Period {
        &self.request.period
    }

    /// The defaults that moved; returns what texts may name of them.
    fn defaults(&self, events: &[EventRow], out: &mut Digest) -> Result<Vec<Change>, QueryError> {
        let inside: HashSet<Oid> = self.inside.iter().map(|commit| commit.oid).collect();
        let moved = events.iter().filter(|e| is_moved(e) && inside.contains(&e.sha));
        let mut groups: Vec<Vec<&EventRow>> = Vec::new();
        for event in moved {
            // The last part of a name is what it is called everywhere.
            let key = |e: &EventRow| (e.sha, spelling(e.knob.rsplit('.').next().unwrap_or(&e.knob)));
            match groups.iter_mut().find(|g| g.first().is_some_and(|e| key(e) == key(event))) {
                Some(group) => group.push(event),
                None => groups.push(vec![event]),
            }
        }
        let mut changes = Vec::new();
        for mut group in groups {
            group.sort_by_key(|e| TOLD_BESIDE.iter().position(|scope| *scope == e.scope).map_or(0, |at| at + 1));
            let Some((first, others)) = group.split_first() else { continue };
            changes.push(Change {
                upstream: self.upstream.name.clone(),
                sha: first.sha,
                pulls: self.store.commit(self.id, first.sha)?.and_then(|c| c.commit().pull_request()).into_iter().collect(),
                knobs: vec![first.knob.clone()],
            });
            let entry = self.default_moved(first, others)?;
            self.corrections(&entry, first, events, out)?;
            out.defaults.push(entry);
        }
        Ok(changes)
    }

    fn default_moved(&self, first: &EventRow, others: &[&EventRow]) -> Result<DefaultMoved, QueryError> {
        let mut restore = first.restore.clone();
        for way in others.iter().flat_map(|e| &e.restore) {
            if !restore.contains(way) {
                restore.push(way.clone());
            }
        }
        let (mut reaches, mut models) = (Vec::new(), 0);
        if !self.store.models()?.is_empty() {
            let answers = models::effects(
                self.store,
                self.upstreams,
                self.request.extractors,
                Some(&self.upstream.name),
                &first.sha.to_string(),
            )?;
            for answer in &answers {
                models = answer.models;
                let of = answer.effects.iter().filter(|e| e.knob == first.knob && e.path == first.path);
                reaches.extend(of.flat_map(|e| &e.reached).map(|one| one.model.to_string()));
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
            first_shipped: self.shipped(first.first_final_shipped.as_deref())?.map(|(tag, _)| tag),
            restore,
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
    fn reverted(&self, of: &str, stored: &StoredCommit, out: &mut Digest) -> Result<(), QueryError> {
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

    /// Work of the told classes, and pins that moved.
    fn commits(&self, out: &mut Digest) -> Result<(), QueryError> {
        let mut pins = PinReader::new(self.store, self.upstreams, self.upstream)?;
        for listed in &self.inside {
            let labels = self.store.labels(listed.id)?;
            let of = |told: &[&str]| labels.iter().any(|label| told.contains(&label.class.as_str()));
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
                grade: Grade::Rule,
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
                grade: Grade::Record,
            };
            match (old, new, self.upstreams.find(&any.upstream)) {
                (Some(old), Some(new), Some(pinned)) => {
                    let spec = WindowSpec { base: old.value.clone(), head: new.value.clone() };
                    match span(self.store, pinned, &spec) {
                        Ok(span) => {
                            entry.commits = Some(span.nodes.len());
                            for id in span.ids() {
                                let mut classes: Vec<String> =
                                    self.store.labels(id)?.into_iter().map(|l| l.class).collect();
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
    fn releases(&self, changes: &[Change], out: &mut Digest) -> Result<(), QueryError> {
        let rules = SaidRules::built_in()?;
        let finder = Finder::new(changes.to_vec())?;
        let mut commits = HashSet::new();
        let mut count = 0;
        for tag in self.store.tags(self.id)? {
            let made = self.store.commit(self.id, tag.commit)?.map(|c| c.commit().committed);
            if made.is_some_and(|at| self.period().holds(at)) {
                commits.insert(tag.commit);
                count += 1;
            }
        }
        let until = Some(self.period().to.timestamp() - 1);
        for tag in said::noted_tags(self.store, self.upstream, self.id, &commits)? {
            let found =
                said::release(self.store, self.upstream, self.id, &tag, &rules, &finder, until)?;
            if let Some(release) = found {
                count -= 1;
                out.releases.push(release);
            }
        }
        if count > 0 {
            out.tags.insert(self.upstream.name.clone(), count);
        }
        let newest = self.newest_release()?;
        let versions: Vec<(&'static str, String)> =
            newest.into_iter().map(|tag| ("newest", tag)).collect();
        let all = said::advisories(self.store, self.upstream, self.id, &versions, until)?;
        out.advisories.extend(
            all.into_iter().filter(|one| one.published.is_some_and(|at| self.period().holds(at))),
        );
        Ok(())
    }

    fn newest_release(&self) -> Result<Option<String>, QueryError> {
        let lag = shipping::lag(
            self.store,
            self.upstreams,
            self.upstream,
            1,
            Some(self.period().to),
        )?;
        Ok(lag.releases.into_iter().next().map(|row| row.tag))
    }

    /// How far behind what they pin the releases up to the end of the time were.
    fn lag(&self, out: &mut Digest) -> Result<(), QueryError> {
        if self.upstream.pins.iter().all(|pin| self.upstreams.find(&pin.upstream).is_none()) {
            return Ok(());
        }
        let lag = shipping::lag(
            self.store,
            self.upstreams,
            self.upstream,
            RELEASES,
            Some(self.period().to),
        )?;
        let rows: Vec<Lagging> = lag
            .releases
            .into_iter()
            .map(|row| Lagging { upstream: self.upstream.name.clone(), row })
            .collect();
        out.lag.extend(rows.first().cloned());
        out.plots.lag.extend(rows.into_iter().rev());
        Ok(())
    }

    /// What the told classes lack: by search where no line has the class's words either.
    fn absences(&self, out: &mut Digest) -> Result<(), QueryError> {
        let name = &self.upstream.name;
        let options = self.period().options();
        for question in why::absent_questions()? {
            let told = WORK.contains(&question.class.as_str())
                || TOOLCHAIN.contains(&question.class.as_str())
                || question.class == "default-change";
            let found = match question.class.as_str() {
                "default-change" => out.defaults.iter().any(|d| d.upstream == *name),
                class => {
                    let mut all = out.work.iter().chain(&out.toolchain);
                    all.any(|w| w.upstream == *name && w.classes.iter().any(|c| c == class))
                }
            };
            if !told || found || self.inside.is_empty() {
                continue;
            }
            let what = &question.what;
            let by_rule = format!("headwater grep --commits --class {} --upstream {name} {options} -e ''", question.class);
            let none = format!("{name} {}: no rule for {what} fired", self.period().name);
            let Some(words) = &question.words else {
                out.absences.push(Absence::new(none, Method::Rule, self.coverage.clone(), vec![by_rule]));
                continue;
            };
            let request = GrepRequest {
                patterns: vec![words.clone()],
                options: Default::default(),
                upstreams: vec![self.upstream],
                filter: filter(self.period()),
                within: Within::Changes,
                occurrences: false,
                context: 0,
                most: None,
                detail: grep::Detail::Count,
                jobs: self.request.jobs,
            };
            let (claim, method) = match grep::commits(self.store, &request)?.commits.len() {
                0 => (format!("{name} {}: no {what}: no changed line has its words", self.period().name), Method::Search),
                n => (format!("{none} ({n} commits hold words of it)"), Method::Rule),
            };
            let by_words =
                format!("headwater grep -e {} --upstream {name} {options}", quote(words));
            let rederive = vec![by_words, by_rule];
            out.absences.push(Absence::new(claim, method, self.coverage.clone(), rederive));
        }
        Ok(())
    }
}

/// The branch's commits of a time.
fn filter(period: &Period) -> Filter {
    Filter {
        since: Some(period.from.timestamp()),
        until: Some(period.to.timestamp() - 1),
        ..Filter::default()
    }
}
