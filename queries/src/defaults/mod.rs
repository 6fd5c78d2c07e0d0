//! The question `defaults`: which default a knob has, since when, and what moved it.

mod answer;
mod drift;
mod life;
mod values;

pub use answer::{Covers, DefaultsAnswer, EventRow, ValueRow};
pub use drift::Drift;
pub(crate) use life::event as event_of;
pub use life::{EventSource, Known, known, rows};

use headwater_store::upstream::Upstream;
use headwater_store::{CommitId, Store};

use crate::QueryError;
use crate::derive;
use crate::ledger::{Extractors, Scope, Spellings};
use crate::window::{Resolver, WindowSpec};

/// What is asked.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// Only the events between two versions.
    pub window: Option<WindowSpec>,
    /// The values at this version instead of the newest.
    pub at: Option<String>,
    /// Only this knob, in any of its spellings.
    pub knob: Option<String>,
    /// Only this scope.
    pub scope: Option<Scope>,
    /// Also commits that only tags reach.
    pub all: bool,
    /// Threads for deriving what is new.
    pub jobs: usize,
}

/// Answers it. What is new in the store is derived first.
///
/// # Errors
/// Those of the store, unknown versions, and where files are gone that it needs.
pub fn ask(
    store: &mut Store,
    upstream: &Upstream,
    extractors: &Extractors,
    question: &Question,
) -> Result<DefaultsAnswer, QueryError> {
    derive::default_events::derive(store, upstream, extractors, question.jobs)?;
    derive::places::derive(store, upstream)?;
    let id = store.upstream(&upstream.name)?;
    let mut spellings = Spellings::default();
    let mut by_knob: std::collections::BTreeMap<String, Vec<String>> = Default::default();
    for (knob, name) in store.knob_names(id)? {
        by_knob.entry(knob).or_default().push(name);
    }
    for (knob, names) in &by_knob {
        spellings.add_names(knob, names);
    }
    let resolver = Resolver::new(store, upstream)?;
    let graph = store.graph(id)?;
    let head = store.branch(id, &upstream.branch)?.map(|(oid, _)| oid);
    // The commits that the answer speaks of.
    let (inside, scope_name) = match (&question.window, &question.at) {
        (Some(window), _) => {
            let (base, head) = (resolver.resolve(&window.base)?, resolver.resolve(&window.head)?);
            let old = graph.reachable(graph.node(base.commit.commit().oid));
            let new = graph.reachable(graph.node(head.commit.commit().oid));
            let inside: Vec<CommitId> = graph
                .nodes()
                .filter(|n| new.contains(*n) && !old.contains(*n))
                .map(|n| graph.id(n))
                .collect();
            (inside, format!("{} {}..{}", upstream.name, base.name, head.name))
        }
        (None, Some(at)) => {
            let at = resolver.resolve(at)?;
            let reached = graph.reachable(graph.node(at.commit.commit().oid));
            let inside = graph.nodes().filter(|n| reached.contains(*n));
            (inside.map(|n| graph.id(n)).collect(), format!("{} {}", upstream.name, at.name))
        }
        (None, None) if question.all => {
            (graph.nodes().map(|n| graph.id(n)).collect(), format!("{}, all", upstream.name))
        }
        (None, None) => {
            let reached = graph.reachable(head.and_then(|oid| graph.node(oid)));
            let inside = graph.nodes().filter(|n| reached.contains(*n));
            (
                inside.map(|n| graph.id(n)).collect(),
                format!("{}, {}", upstream.name, upstream.branch),
            )
        }
    };
    let known = known(store, id)?;
    let source = EventSource { store, upstream: &upstream.name, extractors, spellings: &spellings };
    let mut events = rows(&source, &known, &inside)?;
    // The tree whose values are told; a window is about what moved.
    let tree = match (&question.window, &question.at) {
        (Some(_), _) => None,
        (None, Some(at)) => Some(resolver.resolve(at)?.commit),
        (None, None) => match head {
            Some(oid) => store.commit(id, oid)?,
            None => None,
        },
    };
    let (mut values, mut drift) = (Vec::new(), Vec::new());
    if let Some(commit) = tree {
        let tables = values::at(store, upstream, extractors, commit.commit().tree)?;
        drift = drift::drift(&tables, &spellings);
        values = values::rows(&tables, &events);
    }
    if let Some(asked) = &question.knob {
        let named = |knob: &str, names: &[String]| spellings.matches(knob, names, asked);
        events.retain(|e| named(&e.knob, &e.names));
        values.retain(|v| named(&v.knob, &v.names));
        drift.retain(|d| named(&d.knob, &[]));
    }
    if let Some(scope) = question.scope {
        events.retain(|e| e.scope == scope.name());
        values.retain(|v| v.scope == scope.name());
    }
    let reported = u64::try_from(inside.len()).unwrap_or(u64::MAX);
    let coverage = store.coverage(headwater_store::Scope {
        upstream: id,
        name: scope_name,
        commits: &inside,
        reported,
        missing: Vec::new(),
    })?;
    let covers = extractors.coverage(&upstream.name).into_iter().map(|(id, scope, paths)| Covers {
        extractor: id.to_owned(),
        scope: scope.name(),
        paths: paths.to_vec(),
    });
    Ok(DefaultsAnswer {
        schema: "headwater/defaults/1",
        upstream: upstream.name.clone(),
        events,
        values,
        drift,
        coverage,
        covers: covers.collect(),
    })
}
