//! A tag's history: each digest that it had, and what changed from one to the next.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use headwater_store::evidence::Receipt;
use headwater_store::{
    Digest, ModelName, ModelPlace, ModelSeen, ModelVersion, Store, StoreError, same_value,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// A time in which a tag stood for one digest.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HistoryEntry {
    /// Where it was seen.
    pub place: ModelPlace,
    /// The manifest's digest; none where the tag had gone.
    pub manifest: Option<Digest>,
    /// When it was first seen so.
    pub first_seen: DateTime<Utc>,
    /// When it was last seen so.
    pub last_seen: DateTime<Utc>,
    /// What is other than at the digest before.
    pub changes: Vec<Moved>,
    /// How it was first seen.
    pub receipt: Receipt,
}

/// Something of a model that went from one value to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Moved {
    /// A parameter (`params.temperature`), a layer (`template`), or a fact (`renderer`).
    pub what: String,
    /// The value before; none where there was none.
    pub old: Option<String>,
    /// The value after; none where there is none any more.
    pub new: Option<String>,
}

/// The history of a tag at each place, oldest first.
pub(super) fn history(store: &Store, name: &ModelName) -> Result<Vec<HistoryEntry>, StoreError> {
    let mut out: Vec<HistoryEntry> = Vec::new();
    for seen in store.model_seen(Some(name))? {
        let before = out.iter_mut().rfind(|entry| entry.place == seen.place);
        match before {
            Some(entry) if entry.manifest == seen.manifest => entry.last_seen = seen.observed,
            before => {
                let old = before.and_then(|entry| entry.manifest);
                let changes = changes(&version(store, old)?, &version(store, seen.manifest)?);
                // The first digest of all has nothing to differ from.
                let changes = if old.is_some() { changes } else { Vec::new() };
                out.push(entry(store, &seen, changes)?);
            }
        }
    }
    Ok(out)
}

fn entry(store: &Store, seen: &ModelSeen, changes: Vec<Moved>) -> Result<HistoryEntry, StoreError> {
    Ok(HistoryEntry {
        place: seen.place,
        manifest: seen.manifest,
        first_seen: seen.observed,
        last_seen: seen.observed,
        changes,
        receipt: store.receipt(seen.receipt)?,
    })
}

fn version(store: &Store, digest: Option<Digest>) -> Result<Option<ModelVersion>, StoreError> {
    digest.map_or(Ok(None), |digest| store.model_version(digest))
}

/// What two versions of a model differ in.
fn changes(old: &Option<ModelVersion>, new: &Option<ModelVersion>) -> Vec<Moved> {
    let mut out = Vec::new();
    let empty = BTreeMap::new();
    let params = |version: &Option<ModelVersion>| -> BTreeMap<String, Value> {
        let reading = version.as_ref().and_then(ModelVersion::reading);
        reading.and_then(|r| r.params.as_ref()).unwrap_or(&empty).clone()
    };
    let (before, after) = (params(old), params(new));
    for name in before.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
        let (a, b) = (before.get(name), after.get(name));
        let same = match (a, b) {
            (Some(a), Some(b)) => same_value(a, b),
            _ => false,
        };
        if !same {
            let (old, new) = (a.map(Value::to_string), b.map(Value::to_string));
            out.push(Moved { what: format!("params.{name}"), old, new });
        }
    }
    let fact = |version: &Option<ModelVersion>, at: usize| {
        let facts = &version.as_ref()?.reading()?.facts;
        let all = [&facts.format, &facts.family, &facts.renderer, &facts.parser, &facts.requires];
        all.get(at).and_then(|fact| (*fact).clone())
    };
    for (at, what) in ["format", "family", "renderer", "parser", "requires"].iter().enumerate() {
        let (a, b) = (fact(old, at), fact(new, at));
        if a != b {
            out.push(Moved { what: (*what).to_owned(), old: a, new: b });
        }
    }
    let layers = |version: &Option<ModelVersion>| -> BTreeMap<String, String> {
        let all = version.iter().flat_map(|v| &v.layers);
        all.map(|layer| (layer.kind.clone(), layer.digest.short())).collect()
    };
    let (a, b) = (layers(old), layers(new));
    // A server alone tells of no layers: that they are not known is no change.
    if a.is_empty() || b.is_empty() {
        return out;
    }
    for kind in a.keys().chain(b.keys()).collect::<BTreeSet<_>>() {
        if a.get(kind) != b.get(kind) && kind != "params" && kind != "config" {
            let (old, new) = (a.get(kind).cloned(), b.get(kind).cloned());
            out.push(Moved { what: kind.clone(), old, new });
        }
    }
    out
}
