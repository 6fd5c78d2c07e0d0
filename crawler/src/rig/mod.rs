//! Reading the user's own machine: backends, tools, the local server. Nothing on it is
//! changed, and what is not there is a finding.

mod child;
mod libraries;
mod places;
mod script;
mod tools;

use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::Utc;
use headwater_store::rig::{Found, ModelRead, RigFile, RigReading, ServerRead};
use headwater_store::{ModelPlace, Store};

use crate::http::{Client, Hosts};
use crate::progress::Progress;
use crate::registry::{RegistryError, crawl_installed, server_version};

pub use libraries::is_library;
pub use places::{Environment, Platform, Surroundings};
pub use tools::{gpus, nvcc_version, toolkit_file};

/// How long a tool of the machine may take.
const PATIENCE: Duration = Duration::from_secs(15);

/// What a reading is taken with.
pub struct Reader<'a> {
    /// The client for the local server.
    pub client: &'a Client,
    /// Where it is.
    pub hosts: &'a Hosts,
    /// Where things are on this machine.
    pub surroundings: Surroundings,
    /// The folder of installed models.
    pub models: PathBuf,
}

impl Reader<'_> {
    /// Takes a reading. Models that are found are recorded as installed, as by a crawl of
    /// them; the reading itself is not stored.
    ///
    /// # Errors
    /// Those of the store alone.
    pub fn read(
        &self,
        store: &mut Store,
        rig: &RigFile,
        progress: &dyn Progress,
    ) -> Result<RigReading, RegistryError> {
        let server = Found::of(server_version(self.client, &self.hosts.ollama));
        let server = match server {
            Found::Is(version) => Found::Is(ServerRead { version }),
            Found::Lacks(why) => Found::Lacks(why),
        };
        let models = self.models(store, progress)?;
        let folders = match rig.folders.is_empty() {
            true => self.surroundings.folders(),
            false => rig.folders.clone(),
        };
        let stage = progress.stage("libraries", None);
        let mut read = Vec::new();
        for folder in &folders {
            let found = libraries::folder(Path::new(folder), &mut || stage.advance(1));
            // Of the usual places most are not there, which says nothing.
            if !rig.folders.is_empty() || found.libraries.get().is_some() {
                read.push(found);
            }
        }
        let run = |programs: &[String], args: &[&str]| child::first(programs, args, PATIENCE);
        let nvcc = self.surroundings.nvcc(rig.tools.nvcc.as_deref());
        let smi = self.surroundings.nvidia_smi(rig.tools.nvidia_smi.as_deref());
        let query = ["--query-gpu=driver_version,name", "--format=csv,noheader"];
        Ok(RigReading {
            taken: Utc::now(),
            platform: self.surroundings.platform.as_str().to_owned(),
            server,
            models,
            folders: read,
            scripts: rig.scripts.iter().map(script::read).collect(),
            nvcc: Found::of(run(&nvcc, &["--version"]).and_then(|text| {
                nvcc_version(&text).ok_or_else(|| "nvcc names no version".to_owned())
            })),
            gpus: Found::of(run(&smi, &query).and_then(|text| {
                let found = gpus(&text);
                match found.is_empty() {
                    true => Err("nvidia-smi names no device".to_owned()),
                    false => Ok(found),
                }
            })),
            toolkit: tools::find_toolkit_file(
                &self.surroundings.toolkit_files(rig.tools.version_json.as_deref()),
            ),
        })
    }

    /// The models that are installed, each kept as a crawl of them keeps it.
    ///
    /// # Errors
    /// Those of the store alone.
    pub fn models(
        &self,
        store: &mut Store,
        progress: &dyn Progress,
    ) -> Result<Found<Vec<ModelRead>>, RegistryError> {
        match crawl_installed(store, self.client, self.hosts, &self.models, progress) {
            Ok(_) => {}
            Err(error @ RegistryError::Store(_)) => return Err(error),
            // The folder's path is in its words, and is nobody's business.
            Err(RegistryError::NothingInstalled { server, .. }) => {
                return Ok(Found::Lacks(format!(
                    "there is no models folder (OLLAMA_MODELS names one), and no server: {server}"
                )));
            }
            Err(error) => return Ok(Found::Lacks(error.to_string())),
        }
        let mut found = Vec::new();
        for seen in store.models()? {
            let Some(digest) = seen.manifest.filter(|_| seen.place == ModelPlace::Installed) else {
                continue;
            };
            let version = store.model_version(digest)?;
            let reading = version.as_ref().and_then(|version| version.reading());
            let params = reading.and_then(|reading| reading.params.clone()).unwrap_or_default();
            found.push(ModelRead { name: seen.name.to_string(), digest, params });
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Found::Is(found))
    }
}
