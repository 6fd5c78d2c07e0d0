//! The question `defaults`: which default a knob has, since when, and what moved it.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/crawled.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use headwater_queries::defaults::{Question, ask};
//! use headwater_queries::window::WindowSpec;
//!
//! # let Crawled { mut store, upstreams, rules, dir: _dir } = crawled()?;
//! // `store`, `upstreams` and `rules` as at the top of the crate.
//! let ollama = upstreams.get("ollama")?;
//! let window = Some(WindowSpec::parse("v0.6.0..v0.6.2")?);
//! let moved = ask(&mut store, ollama, &rules.extractors, &Question { window, ..Default::default() })?;
//! let penalty = moved.events.iter().find(|event| event.knob == "repeat_penalty").ok_or("none")?;
//! assert_eq!((penalty.old.as_deref(), penalty.new.as_deref()), (Some("1.1"), Some("1.0")));
//! assert!(penalty.restore.iter().any(|way| way.text.starts_with("PARAMETER repeat_penalty 1.1")));
//!
//! // What it is at a version, by any of its spellings.
//! let (at, knob) = (Some("v0.6.0".to_owned()), Some("RepeatPenalty".to_owned()));
//! let then = ask(&mut store, ollama, &rules.extractors, &Question { at, knob, ..Default::default() })?;
//! assert!(then.values.iter().any(|value| value.knob == "repeat_penalty" && value.value == "1.1"));
//! # Ok(())
//! # }
//! ```

mod answer;
mod decided;
mod drift;
mod life;
mod packagers;
mod values;

pub use answer::{Covers, DefaultsAnswer, EventRow, ValueRow};
pub use decided::shown;
pub use drift::Drift;
pub(crate) use life::event as event_of;
pub use life::{EventSource, Known, known, rows};
pub(crate) use packagers::abi_of;
pub use packagers::{CarriedFile, Change, NestedBuild, Packagers, packagers};

use std::collections::{BTreeMap, HashSet};

use headwater_store::graph::{CommitGraph, Node};
use headwater_store::upstream::Upstream;
use headwater_store::{CommitId, Oid, Store, UpstreamId};

use crate::QueryError;
use crate::derive::{self, tree_tables::placed};
use crate::ledger::{Extractors, Scope, Spellings, spelling};
use crate::names::nearest;
use crate::window::{Resolver, WindowSpec, span};

/// A name that stands beside so many knobs says nothing of any of them.
const MANY: usize = 5;

/// What of an upstream's defaults is told. A window's moves always are, and no values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tell {
    /// Values, and what moved.
    #[default]
    Both,
    /// What moved: no tree is read for values.
    Moves,
    /// Values: no ways back are looked for.
    Values,
}

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
    /// What is to be told.
    pub tell: Tell,
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
    add_names(store, id, &mut spellings)?;
    let resolver = Resolver::new(store, upstream)?;
    let graph = store.graph(id)?;
    let head = store.branch(id, &upstream.branch)?.map(|(oid, _)| oid);
    let spoken = spoken(store, &resolver, &graph, upstream, head, question)?;
    let known = known(store, id)?;
    // A way back is for those who have the version that is asked about.
    let version = match (&question.window, &question.at) {
        (Some(window), _) => Some(resolver.resolve(&window.head)?.commit),
        (None, Some(at)) => Some(resolver.resolve(at)?.commit),
        (None, None) => head.map(|oid| store.commit(id, oid)).transpose()?.flatten(),
    };
    let mut objects = store.objects(&upstream.name)?.reader();
    let moves = question.window.is_some() || question.tell != Tell::Values;
    let by_option = question.knob.as_ref().is_some_and(|knob| knob.starts_with('-'));
    let options = match version.as_ref().filter(|_| moves || by_option) {
        Some(commit) => extractors.options(&upstream.name, commit.commit().tree, &mut objects)?,
        None => None,
    };
    let source = EventSource {
        store,
        upstream: &upstream.name,
        extractors,
        spellings: &spellings,
        ways: moves,
        options: options.clone(),
    };
    // A knob's life is judged over all that came before, then cut to what was asked for.
    let mut events = rows(&source, &known, &spoken.life)?;
    if let Some(inside) = &spoken.inside {
        let inside: HashSet<CommitId> = inside.iter().copied().collect();
        events.retain(|e| inside.contains(&e.commit));
    }
    let inside = spoken.inside.as_ref().unwrap_or(&spoken.life);
    // The tree whose values are told; a window is about what moved.
    let tree = version.filter(|_| question.window.is_none() && question.tell != Tell::Moves);
    let (mut values, mut drift) = (Vec::new(), Vec::new());
    if let Some(commit) = tree {
        let tree = commit.commit().tree;
        let tables = placed(store, extractors, &upstream.name, tree, &|_, _| true)?;
        drift = drift::drift(&tables, &spellings);
        values = values::rows(&tables, &events);
    }
    if !moves {
        events.clear();
    }
    if let Some(asked) = &question.knob {
        // What the engine under it calls a knob is a spelling too.
        for pin in &upstream.pins {
            if let Some(engine) = store.find_upstream(&pin.upstream)? {
                add_names(store, engine, &mut spellings)?;
            }
        }
        // And so is an option's name what it sets.
        let set = |knob: &str| options.as_ref().is_some_and(|table| table.sets(asked, knob));
        let of =
            |(knob, names): (&str, &[String])| spellings.matches(knob, names, asked) || set(knob);
        if !known.knobs().any(of) && !values.iter().any(|v| of((&v.knob, &v.names))) {
            return Err(no_knob(&upstream.name, asked, &known));
        }
        let named = |knob: &str, names: &[String]| of((knob, names));
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
        name: spoken.name,
        commits: inside,
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
        packagers: None,
    })
}

/// Adds the names that stand beside each other in an upstream's files.
fn add_names(
    store: &Store,
    upstream: UpstreamId,
    spellings: &mut Spellings,
) -> Result<(), QueryError> {
    let pairs = store.knob_names(upstream)?;
    // A chain of arguments that sets every field puts each name beside many knobs: such a
    // name tells of none but its own.
    let mut knobs_of: BTreeMap<String, HashSet<String>> = BTreeMap::new();
    for (knob, name) in &pairs {
        knobs_of.entry(spelling(name)).or_default().insert(spelling(knob));
    }
    let is_telling = |knob: &str, name: &str| {
        let name = spelling(name);
        name == spelling(knob) || knobs_of.get(&name).is_none_or(|knobs| knobs.len() < MANY)
    };
    let mut by_knob: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (knob, name) in pairs.into_iter().filter(|(knob, name)| is_telling(knob, name)) {
        by_knob.entry(knob).or_default().push(name);
    }
    for (knob, names) in &by_knob {
        spellings.add_names(knob, names);
    }
    Ok(())
}

/// Says that no knob is called so, and which are called alike: by their last name, since
/// that is what people write.
fn no_knob(upstream: &str, asked: &str, known: &Known) -> QueryError {
    let last = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
    let names = known
        .knobs()
        .flat_map(|(knob, names)| std::iter::once(knob).chain(names.iter().map(String::as_str)));
    let nearest = nearest(asked, names.map(last));
    let nearest = match nearest.is_empty() {
        true => String::new(),
        false => format!("; the nearest are {}", nearest.join(", ")),
    };
    QueryError::NoKnob { upstream: upstream.to_owned(), knob: asked.to_owned(), nearest }
}

/// The commits that an answer speaks of.
struct Spoken {
    /// Those over which a knob's life is judged.
    life: Vec<CommitId>,
    /// Those that are asked for, where they are fewer.
    inside: Option<Vec<CommitId>>,
    /// What they are called.
    name: String,
}

fn spoken(
    store: &Store,
    resolver: &Resolver<'_>,
    graph: &CommitGraph,
    upstream: &Upstream,
    head: Option<Oid>,
    question: &Question,
) -> Result<Spoken, QueryError> {
    let ids = |nodes: &mut dyn Iterator<Item = Node>| -> Vec<CommitId> {
        nodes.map(|n| graph.id(n)).collect()
    };
    let reached = |oid: Option<Oid>| graph.reachable(oid.and_then(|oid| graph.node(oid)));
    let name = &upstream.name;
    Ok(match (&question.window, &question.at) {
        (Some(window), _) => {
            let span = span(store, upstream, window)?;
            let new = span.graph.reachable([span.head_node]);
            Spoken {
                inside: Some(span.ids()),
                life: {
                    let all = span.graph.nodes().filter(|n| new.contains(*n));
                    all.map(|n| span.graph.id(n)).collect()
                },
                name: span.name(upstream),
            }
        }
        (None, Some(at)) => {
            let at = resolver.resolve(at)?;
            let set = reached(Some(at.commit.commit().oid));
            let life = ids(&mut graph.nodes().filter(|n| set.contains(*n)));
            Spoken { life, inside: None, name: format!("{name} {}", at.name) }
        }
        (None, None) if question.all || head.is_none_or(|oid| graph.node(oid).is_none()) => {
            // Where windows alone were crawled, the branch's head is not among the records.
            let what = if question.all { "all" } else { "what is stored" };
            Spoken { life: ids(&mut graph.nodes()), inside: None, name: format!("{name}, {what}") }
        }
        (None, None) => {
            let set = reached(head);
            let life = ids(&mut graph.nodes().filter(|n| set.contains(*n)));
            Spoken { life, inside: None, name: format!("{name}, {}", upstream.branch) }
        }
    })
}
