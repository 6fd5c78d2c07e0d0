//! What was read of a rig at one time.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Digest;

/// Something that was looked for: what it is, or why it is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Found_{T}")]
pub enum Found<T> {
    /// It is there.
    Is(T),
    /// It is not there, or tells nothing.
    Lacks(String),
}

impl<T> Found<T> {
    /// What it is, where it is there.
    pub fn get(&self) -> Option<&T> {
        match self {
            Found::Is(what) => Some(what),
            Found::Lacks(_) => None,
        }
    }

    /// Why it is not known, where it is not.
    pub fn lacks(&self) -> Option<&str> {
        match self {
            Found::Is(_) => None,
            Found::Lacks(why) => Some(why),
        }
    }

    /// A result, whose error says why.
    pub fn of<E: std::fmt::Display>(result: Result<T, E>) -> Self {
        match result {
            Ok(what) => Found::Is(what),
            Err(why) => Found::Lacks(why.to_string()),
        }
    }
}

/// A reading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RigReading {
    /// When it was taken.
    pub taken: DateTime<Utc>,
    /// `linux`, `macos`, `windows` …
    pub platform: String,
    /// The local server.
    pub server: Found<ServerRead>,
    /// The models that are installed.
    pub models: Found<Vec<ModelRead>>,
    /// The folders of backends.
    pub folders: Vec<LibraryFolder>,
    /// What start scripts expect.
    pub scripts: Vec<ScriptRead>,
    /// CUDA's compiler.
    pub nvcc: Found<NvccRead>,
    /// The driver's devices.
    pub gpus: Found<Vec<Gpu>>,
    /// CUDA's version.json.
    pub toolkit: Found<ToolkitFile>,
}

/// A server that answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerRead {
    /// Its version.
    pub version: String,
}

/// A model that is installed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelRead {
    /// Its name.
    pub name: String,
    /// The sha256 of its manifest.
    pub digest: Digest,
    /// The parameters that it sets.
    pub params: BTreeMap<String, Value>,
}

/// A folder of backends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryFolder {
    /// Where it lies.
    pub path: String,
    /// Its libraries.
    pub libraries: Found<Vec<LibraryRead>>,
    /// What of it was not read, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
}

/// A library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryRead {
    /// Its place in the folder, with slashes.
    pub place: String,
    /// How many bytes it has.
    pub bytes: u64,
    /// Their sha256.
    pub sha256: Digest,
    /// What it points to, where it is a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// A start script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptRead {
    /// The script's file name.
    pub script: String,
    /// The library that it checks.
    pub file: String,
    /// The hash that it expects.
    pub expects: Found<Digest>,
}

/// What nvcc says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NvccRead {
    /// The release that it belongs to, without updates: `13.4`.
    pub release: String,
    /// Its own version: `13.4.92`.
    pub version: String,
}

/// A device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gpu {
    /// Its name.
    pub name: String,
    /// The driver's version.
    pub driver: String,
}

/// What CUDA's version.json says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolkitFile {
    /// Of the whole: `13.4.3`.
    pub version: String,
    /// Of its parts, by their names there.
    pub parts: BTreeMap<String, String>,
}

impl RigReading {
    /// Every library with the folder in which it lies, in the order of the folders.
    pub fn libraries(&self) -> impl Iterator<Item = (&LibraryFolder, &LibraryRead)> {
        self.folders.iter().flat_map(|folder| {
            folder.libraries.get().into_iter().flatten().map(move |library| (folder, library))
        })
    }
}
