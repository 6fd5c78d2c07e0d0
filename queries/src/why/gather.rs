//! A window with the windows of its pins, and everything that is known of their commits.

use std::sync::Arc;

use headwater_store::Store;
use headwater_store::graph::CommitGraph;
use headwater_store::model::Label;
use headwater_store::upstream::{Upstream, Upstreams};

use super::answer::Rules;
use super::collect::{Collected, collect};
use super::effective::Asked;
use super::engines::Engines;
use super::known::{Known, OfModel, know, mark_pins};
use super::nested::nested_windows;
use super::report::NestedWindow;
use super::{WhyQuestion, families, returned, undone};
use crate::QueryError;
use crate::ledger::Spellings;
use crate::window::WindowSpec;

/// A window and those that its moved pins open.
pub(super) struct Windows<'a> {
    pub(super) main: Collected<'a>,
    pub(super) inner: Vec<Collected<'a>>,
    pub(super) nested: Vec<NestedWindow>,
}

/// A window's commits with what is known of them.
pub(super) type WithKnown<'w, 'a> = (&'w Collected<'a>, Vec<Known<'w>>);

impl<'a> Windows<'a> {
    /// Collects a window and its nested ones, in `graph` where that was read already.
    pub(super) fn collect(
        store: &'a Store,
        upstreams: &'a Upstreams,
        upstream: &'a Upstream,
        spec: &WindowSpec,
        graph: Option<Arc<CommitGraph>>,
        jobs: usize,
    ) -> Result<Self, QueryError> {
        let main = collect(store, upstream, spec, graph, jobs)?;
        let (nested, inner) = nested_windows(store, upstreams, &main, jobs)?;
        Ok(Windows { main, inner, nested })
    }

    /// Everything that is known of the commits, window by window.
    pub(super) fn know(
        &self,
        store: &Store,
        rules: &Rules,
        question: &WhyQuestion,
        model: OfModel<'_>,
    ) -> Result<(Engines, Vec<WithKnown<'_, 'a>>), QueryError> {
        let upstream = self.main.upstream;
        let mut objects = store.objects(&upstream.name)?.reader();
        let trees = [self.main.base.commit.commit().tree, self.main.head.commit.commit().tree];
        let named = families::format_of(question.model.as_deref());
        let format = model.stored.and_then(Asked::format).unwrap_or(named);
        let engines = Engines::read(upstream, format, trees, &mut objects)?;
        let mut spellings = Spellings::default();
        let mut all: Vec<WithKnown<'_, 'a>> = Vec::new();
        for window in std::iter::once(&self.main).chain(&self.inner) {
            let mut known = know(store, rules, &engines, question, model, window, &mut spellings)?;
            undone::rule_out(
                window,
                &mut known,
                &mut store.objects(&window.upstream.name)?.reader(),
            )?;
            returned::mark(&window.report.head, &mut known);
            all.push((window, known));
        }
        mark_pins(upstream, &engines, &self.nested, &mut all);
        Ok((engines, all))
    }
}

/// The labels of each commit, and whether a default moved.
pub(super) fn labels_of(known: &[Known<'_>]) -> (Vec<Vec<Label>>, bool) {
    let moved = known.iter().any(|k| k.events.iter().any(|e| e.old.is_some() && e.new.is_some()));
    (known.iter().map(|k| k.labels.clone()).collect(), moved)
}
