//! What people wrote of a window, beside what its patches show.

use std::collections::{HashMap, HashSet};

use headwater_store::evidence::Grade;
use headwater_store::upstream::{Upstream, Upstreams};
use headwater_store::{Oid, StatementKind, Store, StoredCommit};
use schemars::JsonSchema;
use serde::Serialize;

use super::collect::Collected;
use super::known::Known;
use super::report::Candidate;
use super::{AsOf, WhyQuestion};
use crate::QueryError;
use crate::pins::PinReader;
use crate::said::{
    self, AdvisorySaid, At, Change, Checker, Finder, NoteRules, NotedTag, PullSaid, ReleaseSaid,
    ReportSaid, SaidRules, Wanted,
};

/// How a commit's pull request is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PullSource {
    /// The commit's subject names it.
    Subject,
    /// The host named it.
    LookedUp,
    /// The host was asked and names none.
    None,
    /// The host was not asked.
    NotLookedUp,
}

impl PullSource {
    /// The pull request that a commit's subject names.
    pub(super) fn in_subject(stored: &StoredCommit) -> (Option<u32>, Self) {
        match stored.commit().pull_request() {
            Some(number) => (Some(number), PullSource::Subject),
            None => (None, PullSource::NotLookedUp),
        }
    }

    /// The pull request that a commit came with: its subject names it, or the host did.
    pub(super) fn known(
        store: &Store,
        stored: &StoredCommit,
    ) -> Result<(Option<u32>, Self), QueryError> {
        let told = Self::in_subject(stored);
        if told.0.is_some() {
            return Ok(told);
        }
        let id = store.upstream(stored.upstream())?;
        Ok(match store.pull_lookup(id, stored.commit().oid)? {
            Some((numbers, _)) => match numbers.first() {
                Some(number) => (Some(*number), PullSource::LookedUp),
                None => (None, PullSource::None),
            },
            None => told,
        })
    }
}

/// What people wrote of a window.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Said {
    /// Why nothing of it is told, where nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<&'static str>,
    /// The window's releases that have notes, in the order of versions.
    pub releases: Vec<ReleaseSaid>,
    /// The window's changes that no line of these notes names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silent: Option<Silent>,
    /// Pull requests of the window whose text is stored.
    pub pulls: Vec<PullSaid>,
    /// What others report.
    pub reports: Vec<ReportSaid>,
    /// Security advisories.
    pub advisories: Vec<AdvisorySaid>,
    /// What the host was not asked for.
    pub unasked: Vec<Unasked>,
}

/// Changes that release notes do not name.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Silent {
    /// The releases whose notes were read.
    pub notes_of: Vec<String>,
    /// The window's releases whose notes are not stored.
    pub lacking: Vec<String>,
    /// Commits that a line names.
    pub named: usize,
    /// Commits that no line names.
    pub commits: Vec<SilentCommit>,
    /// How well it is supported: an absence by rule.
    pub grade: Grade,
}

/// A commit that no line of notes names.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SilentCommit {
    /// The commit.
    pub sha: Oid,
    /// Its message's first line: a stranger's text.
    pub subject: String,
    /// It moves a default.
    pub moves_default: bool,
    /// Its pull request is not known, so a line may name it all the same.
    pub pull_unknown: bool,
}

/// Something that the host was not asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unasked {
    /// What.
    pub what: String,
    /// The command that asks for it.
    pub command: String,
}

/// What is needed to read statements beside a window.
pub(super) struct Beside<'a, 'w> {
    pub(super) store: &'a Store,
    pub(super) upstreams: &'a Upstreams,
    pub(super) question: &'a WhyQuestion,
    pub(super) all: &'a [(&'a Collected<'w>, Vec<Known<'a>>)],
    pub(super) candidates: &'a [Candidate],
}

impl Said {
    /// Reads what is stored of it.
    pub(super) fn of(beside: &Beside<'_, '_>) -> Result<Self, QueryError> {
        let until = match beside.question.as_of {
            AsOf::Head => {
                let why =
                    "notes and reports come after the window's head, as of which it was asked";
                return Ok(Said { left_out: Some(why), ..Said::default() });
            }
            AsOf::Now => None,
            AsOf::Time(time) => Some(time),
        };
        let mut out = Said::default();
        if !beside.has_statements()? {
            for (window, _) in beside.all {
                let id = beside.store.upstream(&window.upstream.name)?;
                let tags = said::noted_tags(beside.store, window.upstream, id, &oids(window))?;
                let lacking: Vec<String> = tags.into_iter().map(|tag| tag.name).collect();
                out.unasked.extend(beside.notes_lacking(window, &lacking));
                beside.unasked(window.upstream, &mut out.unasked)?;
            }
            return Ok(out);
        }
        let (rules, of_notes) = (SaidRules::built_in()?, NoteRules::built_in()?);
        let finder = Finder::new(beside.changes()?)?;
        let checker = Checker::new(
            beside.store,
            beside.upstreams,
            &rules,
            beside.heads()?,
            beside.question.jobs,
        );
        for (at, (window, known)) in beside.all.iter().enumerate() {
            let id = beside.store.upstream(&window.upstream.name)?;
            let tags = said::noted_tags(beside.store, window.upstream, id, &oids(window))?;
            let mut lacking = Vec::new();
            let first = out.releases.len();
            for tag in &tags {
                match said::release(
                    beside.store,
                    window.upstream,
                    id,
                    tag,
                    &of_notes,
                    &finder,
                    until,
                )? {
                    Some(release) => out.releases.push(release),
                    None if said::has_none(beside.store, id, &tag.name)? => {}
                    None => lacking.push(tag.name.clone()),
                }
            }
            let own = out.releases.get(first..).unwrap_or_default();
            if at == 0 && !own.is_empty() {
                out.silent = Some(beside.silent(window, known, &tags, own, &lacking));
            }
            out.unasked.extend(beside.notes_lacking(window, &lacking));
            let pulls = beside.pulls_of(&window.upstream.name);
            for (sha, number) in &pulls {
                let name = &window.upstream.name;
                out.pulls.extend(said::pull(beside.store, name, id, *sha, *number, &rules)?);
            }
            let own: Vec<u32> = pulls.iter().map(|(_, number)| *number).collect();
            let mut versions: Vec<String> = tags.into_iter().map(|tag| tag.name).collect();
            versions.extend([window.report.base.clone(), window.report.head.clone()]);
            versions.dedup();
            let wanted = Wanted { upstream: window.upstream, id, versions, own: &own, until };
            out.reports.extend(said::reports(
                beside.store,
                &wanted,
                &rules,
                &finder,
                |sentence| checker.check(sentence),
            )?);
            let mut versions =
                vec![("base", window.report.base.clone()), ("head", window.report.head.clone())];
            if at == 0 {
                versions.extend(beside.question.installed.iter().map(|v| ("installed", v.clone())));
            }
            out.advisories.extend(said::advisories(
                beside.store,
                window.upstream,
                id,
                &versions,
                until,
            )?);
            beside.unasked(window.upstream, &mut out.unasked)?;
        }
        Ok(out)
    }
}

impl Beside<'_, '_> {
    /// The command that asks the host for what people wrote.
    fn ask(&self, options: &str) -> String {
        let window = &self.all.first().map(|(window, _)| &window.report);
        let (base, head) = window.map_or(("", ""), |w| (w.base.as_str(), w.head.as_str()));
        format!("headwater crawl {} {base}..{head} --notes{options}", self.question.upstream)
    }

    /// Whether anything that people wrote of the window's upstreams is stored.
    fn has_statements(&self) -> Result<bool, QueryError> {
        for (window, _) in self.all {
            let id = self.store.upstream(&window.upstream.name)?;
            if self.store.has_statements(id)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn notes_lacking(&self, window: &Collected<'_>, tags: &[String]) -> Option<Unasked> {
        (!tags.is_empty()).then(|| Unasked {
            what: format!(
                "the release notes of {} {} are not stored",
                window.upstream.name,
                shortened(tags)
            ),
            command: self.ask(""),
        })
    }

    /// The pull requests of an upstream's commits in the window.
    fn pulls_of(&self, upstream: &str) -> Vec<(Oid, u32)> {
        let own = self.candidates.iter().filter(|c| c.upstream == upstream);
        own.filter_map(|c| Some((c.sha, c.pr?))).collect()
    }

    fn changes(&self) -> Result<Vec<Change>, QueryError> {
        let pulls: HashMap<Oid, u32> =
            self.candidates.iter().filter_map(|c| Some((c.sha, c.pr?))).collect();
        let known = self.all.iter().flat_map(|(window, known)| {
            known.iter().map(|known| (window.upstream.name.clone(), known))
        });
        Ok(known
            .map(|(upstream, known)| {
                let sha = known.patch.stored().commit().oid;
                let moved = known.events.iter().filter(|e| e.old.is_some() && e.new.is_some());
                let mut knobs: Vec<String> = moved.map(|event| event.knob.clone()).collect();
                knobs.sort();
                knobs.dedup();
                Change {
                    upstream,
                    sha,
                    pulls: pulls.get(&sha).copied().into_iter().collect(),
                    knobs,
                }
            })
            .collect())
    }

    /// The versions in whose trees statements are checked: the head, and what it pins.
    fn heads(&self) -> Result<Vec<At>, QueryError> {
        let Some((main, _)) = self.all.first() else { return Ok(Vec::new()) };
        let mut heads = vec![At {
            upstream: main.upstream.name.clone(),
            name: main.head.name.clone(),
            commit: main.head.commit.clone(),
        }];
        let mut reader = PinReader::new(self.store, self.upstreams, main.upstream)?;
        for pin in reader.pins(main.head.commit.commit().tree)? {
            if let Ok(target) = reader.target(&pin)?
                && let Some(of) = self.upstreams.find(&pin.upstream)
            {
                heads.push(At {
                    upstream: of.name.clone(),
                    name: target.build.clone().unwrap_or(pin.value),
                    commit: target.commit,
                });
            }
        }
        Ok(heads)
    }

    /// The changes of the window that were released in it and that no line of notes names.
    fn silent(
        &self,
        window: &Collected<'_>,
        known: &[Known<'_>],
        tags: &[NotedTag],
        releases: &[ReleaseSaid],
        lacking: &[String],
    ) -> Silent {
        let graph = &window.graph;
        let released = graph.reachable(tags.iter().filter_map(|tag| graph.node(tag.commit)));
        let named: HashSet<Oid> = releases
            .iter()
            .flat_map(|release| &release.lines)
            .flat_map(|line| &line.names)
            .map(|named| named.sha)
            .collect();
        let known: HashMap<Oid, &Known<'_>> =
            known.iter().map(|k| (k.patch.stored().commit().oid, k)).collect();
        let new = self.candidates.iter().filter(|c| {
            c.upstream == window.upstream.name
                && !window.shipped.contains_key(&c.sha)
                && graph.node(c.sha).is_some_and(|n| released.contains(n) && !graph.is_merge(n))
        });
        let (told, silent): (Vec<_>, Vec<_>) = new.partition(|c| named.contains(&c.sha));
        let commits: Vec<SilentCommit> = silent
            .into_iter()
            .map(|c| SilentCommit {
                sha: c.sha,
                subject: c.subject.clone(),
                moves_default: known.get(&c.sha).is_some_and(|known| {
                    known.events.iter().any(|e| e.old.is_some() && e.new.is_some())
                }),
                pull_unknown: c.pull_source == PullSource::NotLookedUp,
            })
            .collect();
        let whole = lacking.is_empty() && commits.iter().all(|c| !c.pull_unknown);
        Silent {
            notes_of: releases.iter().map(|release| release.tag.clone()).collect(),
            lacking: lacking.to_vec(),
            named: told.len(),
            commits,
            grade: if whole { Grade::AbsentRule } else { Grade::AbsentPartial },
        }
    }

    /// What the host was not asked for of an upstream.
    fn unasked(&self, upstream: &Upstream, out: &mut Vec<Unasked>) -> Result<(), QueryError> {
        let id = self.store.upstream(&upstream.name)?;
        let name = &upstream.name;
        if self.store.look(id, StatementKind::Advisory, "all")?.is_none() {
            out.push(Unasked {
                what: format!("{name}'s security advisories were not asked for"),
                command: self.ask(""),
            });
        }
        let unknown = self.candidates.iter().filter(|c| {
            c.upstream == *name && c.verdict.is_open() && c.pull_source == PullSource::NotLookedUp
        });
        match unknown.count() {
            0 => {}
            n => out.push(Unasked {
                what: format!(
                    "the pull requests of {n} {} of {name} whose subjects name none were not looked up",
                    if n == 1 { "commit" } else { "commits" }
                ),
                command: self.ask(""),
            }),
        }
        if !self.store.has_looked(id, StatementKind::Issue)? {
            out.push(Unasked {
                what: format!("what others report of {name} was not asked for"),
                command: self.ask(" --reports"),
            });
        }
        Ok(())
    }
}

/// The commits of a window.
fn oids(window: &Collected<'_>) -> HashSet<Oid> {
    window.patches.iter().map(|patch| patch.stored().commit().oid).collect()
}

/// The first names of a list, and how many more there are.
fn shortened(names: &[String]) -> String {
    let first: Vec<&str> = names.iter().take(4).map(String::as_str).collect();
    match names.len().saturating_sub(first.len()) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
