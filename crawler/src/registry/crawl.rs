//! A crawl of models: what their registry says of each tag now.

use chrono::Utc;
use headwater_store::{
    Digest, ModelFacts, ModelLayer, ModelName, ModelPlace, ModelReading, ModelSeen, ModelTransport,
    NewModelVersion, NewReceipt, Store,
};

use super::fetch::{Looked, Registry};
use super::{FormatError, RegistryError, manifest};
use crate::http::{Answer, Client, Hosts};
use crate::progress::Progress;

/// The kinds of layers whose bytes are kept.
pub(super) const KEPT: [&str; 5] = ["config", "params", "template", "system", "messages"];

/// What a look at a tag found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelChange {
    /// It was not stored before.
    New(Digest),
    /// It is what it was.
    Same(Digest),
    /// It is another than before.
    Moved {
        /// What it was.
        old: Digest,
        /// What it is.
        new: Digest,
    },
    /// It was there before and is not any more.
    Gone,
}

/// What came of one name.
pub type ModelOutcome = (ModelName, Result<ModelChange, RegistryError>);

/// Asks the registry for each name. One that fails does not keep the others from being
/// stored; where nobody answers at all, the rest is not tried.
///
/// # Errors
/// Those of the store.
pub fn crawl_models(
    store: &mut Store,
    client: &Client,
    hosts: &Hosts,
    names: &[ModelName],
    progress: &dyn Progress,
) -> Result<Vec<ModelOutcome>, RegistryError> {
    let registry = Registry::new(client, &hosts.registry);
    let stage = progress.stage("models", Some(names.len() as u64));
    let mut out = Vec::new();
    for name in names {
        let outcome = one(store, &registry, &hosts.registry, name);
        stage.advance(u64::from(outcome.is_ok()));
        let last = outcome.as_ref().is_err_and(RegistryError::is_final);
        out.push((name.clone(), outcome));
        if last {
            break;
        }
    }
    Ok(out)
}

fn one(
    store: &mut Store,
    registry: &Registry<'_>,
    base: &str,
    name: &ModelName,
) -> Result<ModelChange, RegistryError> {
    let before = last(store, name, ModelPlace::Registry)?;
    let known = before.as_ref().and_then(|seen| seen.manifest);
    let etag = match &before {
        Some(seen) if known.is_some() => store.receipt(seen.receipt)?.etag().map(str::to_owned),
        _ => None,
    };
    let answer = match registry.manifest(name, etag.as_deref())? {
        Looked::Manifest(answer) => answer,
        Looked::Unchanged(answer) => {
            let manifest = known.ok_or_else(|| answer.refused())?;
            let receipt = receipt(store, "registry", &answer, etag.as_deref())?;
            add(store, name, ModelPlace::Registry, Some(manifest), receipt, None)?;
            return Ok(ModelChange::Same(manifest));
        }
        Looked::Gone(answer) => {
            // A tag that was never there is a slip of the pen, one that was is history.
            if before.is_none() {
                let registry = base.to_owned();
                return Err(RegistryError::NotFound { registry, name: name.to_string() });
            }
            let receipt = receipt(store, "registry", &answer, None)?;
            add(store, name, ModelPlace::Registry, None, receipt, None)?;
            return Ok(ModelChange::Gone);
        }
    };
    let manifest = Digest::of(&answer.body);
    let layers =
        manifest::layers(&answer.body).map_err(|why| format_error("manifest", name, why))?;
    let read = store.model_version(manifest)?;
    let read =
        read.is_some_and(|v| v.readings().iter().any(|r| r.transport == ModelTransport::Registry));
    if read {
        let receipt = receipt(store, "registry", &answer, None)?;
        add(store, name, ModelPlace::Registry, Some(manifest), receipt, None)?;
        return Ok(change(known, manifest));
    }
    // Everything is fetched and checked before anything is stored.
    let mut blobs = Vec::new();
    for layer in layers.iter().filter(|layer| KEPT.contains(&layer.kind.as_str())) {
        blobs.push((layer, registry.blob(name, layer)?));
    }
    let bytes = blobs.iter().map(|(layer, answer)| (*layer, answer.body.as_slice()));
    let (params, facts) = parsed(name, bytes)?;
    let first = receipt(store, "registry", &answer, None)?;
    store.add_model_blob(&answer.body)?;
    let mut of_params = first;
    for (layer, answer) in &blobs {
        let row = receipt(store, "registry", answer, None)?;
        store.add_model_blob(&answer.body)?;
        if layer.kind == "params" {
            of_params = row;
        }
    }
    let reading =
        ModelReading { transport: ModelTransport::Registry, receipt: of_params, params, facts };
    let new = NewModelVersion { manifest, layers: &layers, reading: &reading };
    add(store, name, ModelPlace::Registry, Some(manifest), first, Some(&new))?;
    Ok(change(known, manifest))
}

pub(super) fn change(known: Option<Digest>, manifest: Digest) -> ModelChange {
    match known {
        None => ModelChange::New(manifest),
        Some(old) if old == manifest => ModelChange::Same(manifest),
        Some(old) => ModelChange::Moved { old, new: manifest },
    }
}

/// The last look at a tag.
pub(super) fn last(
    store: &Store,
    name: &ModelName,
    place: ModelPlace,
) -> Result<Option<ModelSeen>, RegistryError> {
    let seen = store.model_seen(Some(name))?;
    Ok(seen.into_iter().rfind(|seen| seen.place == place))
}

/// Parameters and configuration, out of the layers that are kept.
pub(super) fn parsed<'b>(
    name: &ModelName,
    blobs: impl Iterator<Item = (&'b ModelLayer, &'b [u8])>,
) -> Result<
    (Option<std::collections::BTreeMap<String, serde_json::Value>>, ModelFacts),
    RegistryError,
> {
    let (mut params, mut facts) = (None, ModelFacts::default());
    for (layer, bytes) in blobs {
        let wrong = |why| format_error(&layer.kind, name, why);
        match layer.kind.as_str() {
            "params" => params = Some(manifest::params(bytes).map_err(wrong)?),
            "config" => facts = manifest::config(bytes).map_err(wrong)?,
            _ => {}
        }
    }
    Ok((params, facts))
}

pub(super) fn format_error(what: &str, name: &ModelName, why: FormatError) -> RegistryError {
    RegistryError::Format { what: what.to_owned(), name: name.to_string(), why }
}

/// Records how an answer came. One that says "as before" has the ETag of what was before.
pub(super) fn receipt(
    store: &Store,
    transport: &str,
    answer: &Answer,
    etag: Option<&str>,
) -> Result<i64, RegistryError> {
    let new = NewReceipt {
        transport,
        source: &answer.url,
        obtained: answer.obtained,
        body: &answer.body,
        etag: answer.etag().or(etag),
    };
    Ok(store.add_receipt_of(store.models_id()?, &new)?)
}

pub(super) fn add(
    store: &mut Store,
    name: &ModelName,
    place: ModelPlace,
    manifest: Option<Digest>,
    receipt: i64,
    version: Option<&NewModelVersion<'_>>,
) -> Result<(), RegistryError> {
    let seen = ModelSeen { name: name.clone(), place, manifest, observed: Utc::now(), receipt };
    Ok(store.add_model_seen(&seen, version)?)
}
