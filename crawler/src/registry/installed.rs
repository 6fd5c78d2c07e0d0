//! What is installed on this machine: by the models folder, and by a local server.

use std::collections::BTreeSet;
use std::path::Path;

use chrono::Utc;
use headwater_store::{
    Digest, ModelName, ModelPlace, ModelReading, ModelTransport, NewModelVersion, NewReceipt, Store,
};

use super::crawl::{add, change, format_error, last, parsed, receipt};
use super::server::Server;
use super::{ModelOutcome, RegistryError, folder, manifest};
use crate::http::{Client, Hosts};
use crate::progress::Progress;

/// What a look at this machine found.
#[derive(Debug)]
pub struct InstalledSummary {
    /// What came of each model.
    pub models: Vec<ModelOutcome>,
    /// Why the folder was not read, where it was not.
    pub no_folder: Option<String>,
    /// Why the server was not asked, where it was not.
    pub no_server: Option<String>,
}

/// Reads the models folder and asks the local server: each where it is there.
///
/// # Errors
/// Where neither is there, and those of the store.
pub fn crawl_installed(
    store: &mut Store,
    client: &Client,
    hosts: &Hosts,
    dir: &Path,
    progress: &dyn Progress,
) -> Result<InstalledSummary, RegistryError> {
    let stage = progress.stage("installed models", None);
    let mut out = InstalledSummary { models: Vec::new(), no_folder: None, no_server: None };
    let mut present = BTreeSet::new();
    match folder::list(dir) {
        Ok(found) => {
            for (name, path) in found {
                let outcome = from_folder(store, dir, &name, &path);
                stage.advance(1);
                present.insert(name.clone());
                out.models.push((name, outcome));
            }
        }
        Err(error) => out.no_folder = Some(error.to_string()),
    }
    let server = Server::new(client, &hosts.ollama);
    let mut last_receipt = None;
    match server.models() {
        Ok((answer, found)) => {
            let tags = receipt(store, "server", &answer, None)?;
            last_receipt = Some(tags);
            for (name, digest) in found {
                let outcome = from_server(store, &server, &name, digest);
                stage.advance(1);
                present.insert(name.clone());
                // The folder's word on a model counts first.
                if outcome.is_err() || !out.models.iter().any(|(known, _)| *known == name) {
                    out.models.push((name, outcome));
                }
            }
        }
        Err(error) => out.no_server = Some(error.to_string()),
    }
    if let (Some(_), Some(server)) = (&out.no_folder, &out.no_server) {
        return Err(RegistryError::NothingInstalled {
            folder: dir.to_owned(),
            server: server.clone(),
        });
    }
    for seen in store.models()? {
        let gone = seen.place == ModelPlace::Installed
            && seen.manifest.is_some()
            && !present.contains(&seen.name);
        if gone {
            let receipt = match last_receipt {
                Some(row) => row,
                None => folder_receipt(store, "manifests", &[])?,
            };
            add(store, &seen.name, ModelPlace::Installed, None, receipt, None)?;
            out.models.push((seen.name, Ok(super::ModelChange::Gone)));
        }
    }
    Ok(out)
}

fn from_folder(
    store: &mut Store,
    dir: &Path,
    name: &ModelName,
    path: &Path,
) -> Result<super::ModelChange, RegistryError> {
    let local = folder::manifest(dir, name, path)?;
    let digest = Digest::of(&local.manifest);
    let layers =
        manifest::layers(&local.manifest).map_err(|why| format_error("manifest", name, why))?;
    let blobs = folder::blobs(dir, &local.name, &layers)?;
    let bytes = blobs.iter().map(|(layer, bytes)| (*layer, bytes.as_slice()));
    let (params, facts) = parsed(name, bytes)?;
    let known = last(store, name, ModelPlace::Installed)?.and_then(|seen| seen.manifest);
    let first = folder_receipt(store, &local.within, &local.manifest)?;
    store.add_model_blob(&local.manifest)?;
    let mut of_params = first;
    for (layer, bytes) in &blobs {
        let within = format!("blobs/sha256-{}", layer.digest.hex());
        let row = folder_receipt(store, &within, bytes)?;
        store.add_model_blob(bytes)?;
        if layer.kind == "params" {
            of_params = row;
        }
    }
    let reading =
        ModelReading { transport: ModelTransport::Folder, receipt: of_params, params, facts };
    let new = NewModelVersion { manifest: digest, layers: &layers, reading: &reading };
    add(store, name, ModelPlace::Installed, Some(digest), first, Some(&new))?;
    Ok(change(known, digest))
}

fn from_server(
    store: &mut Store,
    server: &Server<'_>,
    name: &ModelName,
    digest: Digest,
) -> Result<super::ModelChange, RegistryError> {
    let known = last(store, name, ModelPlace::Installed)?.and_then(|seen| seen.manifest);
    let shown = server.show(name)?;
    let row = receipt(store, "server", &shown.answer, None)?;
    let reading = ModelReading {
        transport: ModelTransport::Server,
        receipt: row,
        params: shown.params,
        facts: shown.facts,
    };
    let new = NewModelVersion { manifest: digest, layers: &[], reading: &reading };
    add(store, name, ModelPlace::Installed, Some(digest), row, Some(&new))?;
    Ok(change(known, digest))
}

/// A receipt for a file of the models folder. Where that folder lies is nobody's business
/// but the user's.
fn folder_receipt(store: &Store, within: &str, body: &[u8]) -> Result<i64, RegistryError> {
    let source = format!("models folder: {within}");
    let new =
        NewReceipt { transport: "folder", source: &source, obtained: Utc::now(), body, etag: None };
    Ok(store.add_receipt_of(store.models_id()?, &new)?)
}
