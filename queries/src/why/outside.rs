//! The releases beside a window: windows are often reported off by one.

use std::cell::OnceCell;

use headwater_store::graph::Node;
use headwater_store::model::Tag;
use headwater_store::upstream::Upstreams;
use headwater_store::{Store, UpstreamId};
use regex::Regex;

use super::answer::Rules;
use super::candidates::candidates;
use super::collect::Collected;
use super::gather::Windows;
use super::headline::WEAK;
use super::known::OfModel;
use super::prepared::Prepared;
use super::report::{Candidate, Outside, Side, Verdict};
use super::score::{Points, Scoring, score};
use super::{AsOf, WhyQuestion};
use crate::QueryError;
use crate::rank::Question;
use crate::window::{Resolved, WindowSpec};

/// So many candidates of a neighbouring release are told.
const MOST: usize = 3;
/// Those with a smaller part of the points of the window's best are not.
const PART: f64 = 0.6;
/// After so many tags that are no neighbours, no release is looked for.
const TRIES: u32 = 24;

/// What the neighbours are asked, and against what.
pub(super) struct Beside<'q> {
    pub(super) question: &'q WhyQuestion,
    pub(super) model: OfModel<'q>,
    pub(super) every_word: &'q Question,
    pub(super) asked: &'q Question,
    pub(super) points: &'q Points,
    pub(super) scoring: &'q Scoring,
}

/// The strongest candidates of the release before BASE and of the one after HEAD.
pub(super) fn outside(
    store: &Store,
    upstreams: &Upstreams,
    rules: &Rules,
    main: &Collected<'_>,
    beside: &Beside<'_>,
) -> Result<Vec<Outside>, QueryError> {
    let mut out = Vec::new();
    for (side, spec) in neighbours(store, main, beside.question.as_of)? {
        let jobs = beside.question.jobs;
        let graph = Some(main.graph.clone());
        let windows = match Windows::collect(store, upstreams, main.upstream, &spec, graph, jobs) {
            Ok(windows) => windows,
            // A neighbour that is not whole in the store is no part of the answer.
            Err(QueryError::NotStored { .. } | QueryError::Reversed { .. }) => continue,
            Err(error) => return Err(error),
        };
        let (_, all) = windows.know(store, rules, beside.question, beside.model)?;
        let prepared =
            Prepared::of(store, rules, beside.question, beside.every_word, &windows.nested, &all)?;
        let hindsight = beside.question.as_of != AsOf::Head;
        let mut scoring = score(
            &prepared,
            beside.asked,
            &rules.facets,
            beside.points,
            hindsight,
            Some(beside.scoring),
        );
        let best = beside.scoring.commits.iter().filter(|c| c.verdict == Verdict::Candidate);
        let best = best.map(|c| c.score).fold(0.0, f64::max);
        // A pin's bump says no more than what it brings.
        scoring.commits.retain(|commit| {
            let bump = prepared.entries.get(commit.entry).is_some_and(|e| e.opens.is_some());
            commit.verdict == Verdict::Candidate && !bump && commit.score >= WEAK.max(PART * best)
        });
        scoring.commits.truncate(MOST);
        let strongest: Vec<Candidate> = candidates(store, beside.question, &all, &scoring.commits)?;
        out.push(Outside {
            side,
            upstream: main.upstream.name.clone(),
            base: windows.main.report.base.clone(),
            head: windows.main.report.head.clone(),
            commits: all.iter().map(|(_, known)| known.len()).sum(),
            candidates: strongest,
        });
    }
    Ok(out)
}

/// The windows from the release before BASE and to the one after HEAD.
fn neighbours(
    store: &Store,
    main: &Collected<'_>,
    as_of: AsOf,
) -> Result<Vec<(Side, WindowSpec)>, QueryError> {
    let graph = &main.graph;
    let node = |end: &Resolved| graph.node(end.commit.commit().oid);
    let (Some(base), Some(head)) = (node(&main.base), node(&main.head)) else {
        return Ok(Vec::new());
    };
    let held = graph.reachable([base]);
    let mut found = Vec::new();
    let releases = Releases { store, main, all: OnceCell::new() };
    let before = |release: &Release| release.node != base && held.contains(release.node);
    if let Some(before) = releases.near(&main.base, Side::Before, before)? {
        let spec = WindowSpec { base: before, head: main.report.base.clone() };
        found.push((Side::Before, spec));
    }
    let until = match as_of {
        AsOf::Head => return Ok(found),
        AsOf::Now => i64::MAX,
        AsOf::Time(time) => time,
    };
    let after = |release: &Release| {
        let known = release.committed <= until && release.node != head;
        known && graph.reachable([release.node]).contains(head)
    };
    if let Some(after) = releases.near(&main.head, Side::After, after)? {
        let spec = WindowSpec { base: main.report.head.clone(), head: after };
        found.push((Side::After, spec));
    }
    Ok(found)
}

/// A final release.
struct Release {
    committed: i64,
    name: String,
    node: Node,
}

/// The final releases of a window's upstream.
struct Releases<'r> {
    store: &'r Store,
    main: &'r Collected<'r>,
    all: OnceCell<Vec<Release>>,
}

impl Releases<'_> {
    /// The release nearest to an end on one side of it, of which `is_one` says that it is.
    fn near(
        &self,
        end: &Resolved,
        side: Side,
        is_one: impl Fn(&Release) -> bool,
    ) -> Result<Option<String>, QueryError> {
        let id = self.store.upstream(&self.main.upstream.name)?;
        // Where builds are numbered by counting commits, the neighbours' names are known.
        let place = self.store.place(end.commit.id())?.filter(|place| place.reachable > 0);
        if let (Some(prefix), Some(place)) = (&self.main.upstream.build_prefix, place) {
            for step in 1..=TRIES {
                let number = match side {
                    Side::Before => place.reachable.checked_sub(step),
                    Side::After => place.reachable.checked_add(step),
                };
                let Some(number) = number else { break };
                let Some(tag) = self.store.tag(id, &format!("{prefix}{number}"))? else { continue };
                if self.release(tag).is_some_and(|release| is_one(&release)) {
                    return Ok(Some(format!("{prefix}{number}")));
                }
            }
        }
        let all = match self.all.get() {
            Some(all) => all,
            None => {
                let read = self.read(id)?;
                self.all.get_or_init(|| read)
            }
        };
        let committed = end.commit.commit().committed.timestamp();
        let found = match side {
            Side::Before => all.iter().rev().find(|release| is_one(release)),
            Side::After => {
                let later = all.iter().filter(|release| release.committed >= committed);
                later.take(TRIES as usize).find(|release| is_one(release))
            }
        };
        Ok(found.map(|release| release.name.clone()))
    }

    /// All of them, oldest first.
    fn read(&self, id: UpstreamId) -> Result<Vec<Release>, QueryError> {
        let is_final = Regex::new(&self.main.upstream.final_tag)
            .map_err(|error| QueryError::Pattern(error.to_string()))?;
        let tags = self.store.tags(id)?.into_iter().filter(|tag| is_final.is_match(&tag.name));
        let mut all: Vec<Release> = tags.filter_map(|tag| self.release(tag)).collect();
        all.sort_by(|a, b| (a.committed, &a.name).cmp(&(b.committed, &b.name)));
        Ok(all)
    }

    fn release(&self, tag: Tag) -> Option<Release> {
        let node = self.main.graph.node(tag.commit)?;
        Some(Release { committed: self.main.graph.committed(node), name: tag.name, node })
    }
}
