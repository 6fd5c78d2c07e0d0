//! What somebody who builds it himself must know of a window: the pinned upstreams' build
//! options, the patches laid over them, and what became of public headers.

use std::collections::BTreeMap;

use headwater_store::upstream::{Upstream, Upstreams};
use headwater_store::{Oid, Store};
use schemars::JsonSchema;
use serde::Serialize;

use super::{EventRow, Question, ask};
use crate::QueryError;
use crate::abi::{self, AbiCommit, AbiReader};
use crate::ledger::{Extractors, Scope};
use crate::pins::PinReader;
use crate::window::{Resolver, WindowSpec};

/// What a window means for those who build it themselves.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Packagers {
    /// The windows of pinned upstreams, with their build options that moved.
    pub nested: Vec<NestedBuild>,
    /// Patches and shims that came, went or are others.
    pub carried: Vec<CarriedFile>,
    /// Commits that change public headers, in the window and in those that it opens.
    pub abi: Vec<AbiCommit>,
}

/// The window of a pinned upstream.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NestedBuild {
    /// The pinned upstream.
    pub upstream: String,
    /// The pin's value at BASE.
    pub base: Option<String>,
    /// The pin's value at HEAD.
    pub head: Option<String>,
    /// Its build options that moved.
    pub events: Vec<EventRow>,
    /// Why it cannot be told, where it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<String>,
}

/// A file that is laid over what is pinned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CarriedFile {
    /// The path.
    pub path: String,
    /// What became of it.
    pub change: Change,
    /// The blob before.
    pub old: Option<Oid>,
    /// The blob after.
    pub new: Option<Oid>,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// It is new.
    Added,
    /// It has gone.
    Removed,
    /// It is another.
    Changed,
}

/// What a window means for those who build it themselves.
///
/// # Errors
/// As [`ask`].
pub fn packagers(
    store: &mut Store,
    upstreams: &Upstreams,
    extractors: &Extractors,
    upstream: &Upstream,
    window: &WindowSpec,
    jobs: usize,
) -> Result<Packagers, QueryError> {
    let mut out = Packagers { abi: abi_of(store, upstream, window)?, ..Packagers::default() };
    let (base, head) = {
        let resolver = Resolver::new(store, upstream)?;
        let tree = |name: &str| Ok::<_, QueryError>(resolver.resolve(name)?.commit.commit().tree);
        (tree(&window.base)?, tree(&window.head)?)
    };
    out.carried = carried(store, upstream, base, head)?;
    let mut inner: Vec<(String, WindowSpec)> = Vec::new();
    {
        let mut pins = PinReader::new(store, upstreams, upstream)?;
        let (old, new) = (pins.pins(base)?, pins.pins(head)?);
        for pin in &new {
            let before = old.iter().find(|o| o.pin == pin.pin);
            if before.is_some_and(|before| before.value == pin.value) {
                continue;
            }
            let mut nested = NestedBuild {
                upstream: pin.upstream.clone(),
                base: before.map(|before| before.value.clone()),
                head: Some(pin.value.clone()),
                events: Vec::new(),
                gap: None,
            };
            let target = pins.target(pin)?;
            let from = before.map(|before| pins.target(before)).transpose()?;
            match (from, target) {
                (Some(Ok(from)), Ok(to)) => {
                    let sha =
                        |target: &crate::pins::PinTarget| target.commit.commit().oid.to_string();
                    let spec = WindowSpec { base: sha(&from), head: sha(&to) };
                    inner.push((pin.upstream.clone(), spec));
                }
                (None, _) => nested.gap = Some("only one end has this pin".to_owned()),
                (Some(Err(gap)), _) | (_, Err(gap)) => nested.gap = Some(gap.why),
            }
            out.nested.push(nested);
        }
    }
    for (name, spec) in inner {
        let pinned = upstreams.get(&name)?;
        let question = Question {
            window: Some(spec.clone()),
            scope: Some(Scope::Build),
            jobs,
            ..Question::default()
        };
        let answer = match ask(store, pinned, extractors, &question) {
            Ok(answer) => Ok(answer.events),
            Err(error @ (QueryError::Reversed { .. } | QueryError::NotStored { .. })) => Err(error),
            Err(error) => return Err(error),
        };
        let slot = out.nested.iter_mut().find(|n| n.upstream == name && n.gap.is_none());
        match (slot, answer) {
            (Some(nested), Ok(events)) => nested.events = events,
            (Some(nested), Err(error)) => nested.gap = Some(error.to_string()),
            (None, _) => {}
        }
        if !spec.base.is_empty() {
            out.abi.extend(abi_of(store, pinned, &spec)?);
        }
    }
    Ok(out)
}

/// The commits of a window that change public headers, oldest first.
pub(crate) fn abi_of(
    store: &Store,
    upstream: &Upstream,
    window: &WindowSpec,
) -> Result<Vec<AbiCommit>, QueryError> {
    let Some(mut reader) = AbiReader::new(store, upstream)? else { return Ok(Vec::new()) };
    let resolver = Resolver::new(store, upstream)?;
    let id = store.upstream(&upstream.name)?;
    let graph = store.graph(id)?;
    let node = |name: &str| {
        let oid = resolver.resolve(name)?.commit.commit().oid;
        Ok::<_, QueryError>(graph.node(oid))
    };
    let (Some(base), Some(head)) = (node(&window.base)?, node(&window.head)?) else {
        return Ok(Vec::new());
    };
    let ids: Vec<_> = graph.between(base, head).into_iter().map(|n| graph.id(n)).collect();
    let mut out = Vec::new();
    for commit in store.commits(id, &ids)? {
        out.extend(reader.read(&store.patch(commit)?)?);
    }
    out.sort_by_key(|commit| commit.date);
    Ok(out)
}

fn carried(
    store: &Store,
    upstream: &Upstream,
    base: Oid,
    head: Oid,
) -> Result<Vec<CarriedFile>, QueryError> {
    let Some(globs) = abi::carried(upstream)? else { return Ok(Vec::new()) };
    let mut reader = store.objects(&upstream.name)?.reader();
    let mut files = |tree: Oid| {
        let all = reader.files(tree)?.into_iter();
        let kept = all.filter(|(path, entry)| entry.is_blob() && globs.is_match(path));
        Ok::<BTreeMap<String, Oid>, QueryError>(kept.map(|(path, e)| (path, e.oid)).collect())
    };
    let (before, after) = (files(base)?, files(head)?);
    let mut out = Vec::new();
    for (path, new) in &after {
        let old = before.get(path).copied();
        let change = if old.is_none() { Change::Added } else { Change::Changed };
        if old != Some(*new) {
            out.push(CarriedFile { path: path.clone(), change, old, new: Some(*new) });
        }
    }
    for (path, old) in before.iter().filter(|(path, _)| !after.contains_key(*path)) {
        let old = Some(*old);
        out.push(CarriedFile { path: path.clone(), change: Change::Removed, old, new: None });
    }
    out.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(out)
}
