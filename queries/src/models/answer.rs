//! What the question `model` answers.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use headwater_store::evidence::{Grade, Receipt};
use headwater_store::{
    Digest, ModelFacts, ModelLayer, ModelName, ModelPlace, ModelSeen, ModelVersion, Store,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::HistoryEntry;
use super::effective::{AtVersion, EffectiveRow};
use super::history::history;
use crate::QueryError;
use crate::names::nearest;

/// What is known of a model.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ModelAnswer {
    /// `headwater/model/1`
    pub schema: &'static str,
    /// The name.
    pub name: ModelName,
    /// Where the version that is told was seen: what is installed is told before what the
    /// registry has, since that is what runs.
    pub place: ModelPlace,
    /// The digest of its manifest.
    pub manifest: Digest,
    /// Its first twelve digits, as Ollama shows them.
    pub id: String,
    /// When it was last seen.
    pub observed: DateTime<Utc>,
    /// Its parameters; empty where it sets none.
    pub params: BTreeMap<String, Value>,
    /// What its configuration says.
    #[serde(flatten)]
    pub facts: ModelFacts,
    /// What it is made of.
    pub layers: Vec<ModelLayer>,
    /// How well its parameters are supported.
    pub grade: Grade,
    /// How they were obtained, one for each transport.
    pub receipts: Vec<Receipt>,
    /// The digests that the tag had.
    pub history: Vec<HistoryEntry>,
    /// What else there is to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What a request that sets nothing runs with, knob by knob; empty where no version
    /// was asked for.
    pub effective: Vec<EffectiveRow>,
    /// The version that this is told for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<AtVersion>,
}

/// One line of the list of models.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ModelSummary {
    /// The name.
    pub name: ModelName,
    /// Where it was seen.
    pub place: ModelPlace,
    /// The digest of its manifest; none where the tag has gone.
    pub manifest: Option<Digest>,
    /// When it was last seen.
    pub observed: DateTime<Utc>,
    /// How many parameters it sets.
    pub params: usize,
}

/// The version of a model that is told, and where it was seen.
pub(crate) fn version_of(
    store: &Store,
    name: &ModelName,
) -> Result<Option<(ModelSeen, ModelVersion)>, QueryError> {
    let seen = store.model_seen(Some(name))?;
    let mut looks: Vec<ModelSeen> = Vec::new();
    for place in [ModelPlace::Installed, ModelPlace::Registry] {
        // The last look at each place: one that found the tag gone ends its time there.
        looks.extend(seen.iter().rfind(|seen| seen.place == place).cloned());
    }
    // One that has gone everywhere is told as it last was.
    looks.extend(seen.into_iter().rfind(|seen| seen.manifest.is_some()));
    for seen in looks {
        let Some(digest) = seen.manifest else { continue };
        if let Some(version) = store.model_version(digest)? {
            return Ok(Some((seen, version)));
        }
    }
    Ok(None)
}

/// Everything that is stored of a model.
///
/// # Errors
/// [`QueryError::NoModel`] with the nearest names, where nothing is.
pub fn model(store: &Store, name: &ModelName) -> Result<ModelAnswer, QueryError> {
    let Some((seen, version)) = version_of(store, name)? else {
        return Err(unknown(store, name)?);
    };
    let reading = version.reading();
    let mut receipts = Vec::new();
    for reading in version.readings() {
        receipts.push(store.receipt(reading.receipt)?);
    }
    let mut notes = Vec::new();
    if !version.agrees() {
        let of: Vec<&str> = version.readings().iter().map(|r| r.transport.as_str()).collect();
        notes.push(format!(
            "the transports ({}) do not agree on its parameters; told are those of {}",
            of.join(", "),
            of.first().copied().unwrap_or_default()
        ));
    }
    for look in store.models()?.into_iter().filter(|look| look.name == *name) {
        match look.manifest {
            Some(digest) if digest == version.manifest => {}
            Some(digest) => notes.push(format!(
                "{} is another: {}, seen {}",
                look.place.as_str(),
                digest.short(),
                day(look.observed)
            )),
            None => notes.push(format!(
                "{}: the tag had gone on {}",
                look.place.as_str(),
                day(look.observed)
            )),
        }
    }
    Ok(ModelAnswer {
        schema: "headwater/model/1",
        name: name.clone(),
        place: seen.place,
        manifest: version.manifest,
        id: version.manifest.short(),
        observed: seen.observed,
        params: reading.and_then(|r| r.params.clone()).unwrap_or_default(),
        facts: reading.map(|r| r.facts.clone()).unwrap_or_default(),
        layers: version.layers.clone(),
        grade: version.grade(),
        receipts,
        history: history(store, name)?,
        notes,
        effective: Vec::new(),
        at: None,
    })
}

fn day(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%d").to_string()
}

/// Every model that is stored, in the order of names.
///
/// # Errors
/// Those of the store.
pub fn summaries(store: &Store) -> Result<Vec<ModelSummary>, QueryError> {
    let mut out = Vec::new();
    for seen in store.models()? {
        let version = match seen.manifest {
            Some(digest) => store.model_version(digest)?,
            None => None,
        };
        let params = version.as_ref().and_then(ModelVersion::reading);
        let params = params.and_then(|r| r.params.as_ref()).map_or(0, BTreeMap::len);
        out.push(ModelSummary {
            name: seen.name,
            place: seen.place,
            manifest: seen.manifest,
            observed: seen.observed,
            params,
        });
    }
    Ok(out)
}

/// Says that nothing is stored of a model, and which names are like it.
pub(super) fn unknown(store: &Store, name: &ModelName) -> Result<QueryError, QueryError> {
    let asked = name.to_string();
    let known = store.models()?.into_iter().map(|seen| seen.name.to_string());
    let nearest = nearest(&asked, known);
    let nearest = match nearest.is_empty() {
        true => String::new(),
        false => format!("; the nearest stored names are {}", nearest.join(", ")),
    };
    Ok(QueryError::NoModel { name: asked, nearest })
}
