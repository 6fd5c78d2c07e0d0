//! Models: looks at their tags, what their manifests hold, and what transports say.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension as _, Row, params};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Store, UpstreamId, time};
use crate::evidence::{Grade, Method, Source};
use crate::{Digest, ModelName, StoreError};

/// The reserved name under which receipts of models stand.
pub const MODELS: &str = "models";

/// Where a model was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ModelPlace {
    /// In a registry.
    Registry,
    /// On this machine.
    Installed,
}

impl ModelPlace {
    /// As stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            ModelPlace::Registry => "registry",
            ModelPlace::Installed => "installed",
        }
    }

    fn of(text: &str) -> Self {
        if text == "registry" { ModelPlace::Registry } else { ModelPlace::Installed }
    }
}

/// How a model's record came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelTransport {
    /// A registry's manifest and blobs, each checked against its digest.
    Registry,
    /// The files of the local models folder, each checked against its digest.
    Folder,
    /// What a local server answers.
    Server,
}

impl ModelTransport {
    /// As stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            ModelTransport::Registry => "registry",
            ModelTransport::Folder => "folder",
            ModelTransport::Server => "server",
        }
    }

    fn of(text: &str) -> Self {
        match text {
            "registry" => ModelTransport::Registry,
            "folder" => ModelTransport::Folder,
            _ => ModelTransport::Server,
        }
    }
}

/// A look at a model's tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSeen {
    /// The name.
    pub name: ModelName,
    /// Where.
    pub place: ModelPlace,
    /// The sha256 of its manifest; `None` where the tag had gone.
    pub manifest: Option<Digest>,
    /// When.
    pub observed: DateTime<Utc>,
    /// The receipt's row.
    pub receipt: i64,
}

/// One part of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ModelLayer {
    /// `config`, `params`, `template`, `model` …: the last word of its media type.
    pub kind: String,
    /// The sha256 of its bytes.
    pub digest: Digest,
    /// How many there are.
    pub bytes: u64,
}

/// What one transport says of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelReading {
    /// The transport.
    pub transport: ModelTransport,
    /// The receipt's row.
    pub receipt: i64,
    /// Its parameters; `None` where it brings none.
    pub params: Option<BTreeMap<String, Value>>,
    /// What its configuration says.
    pub facts: ModelFacts,
}

/// What a model's configuration says of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ModelFacts {
    /// `gguf` or `safetensors`.
    pub format: Option<String>,
    /// The family of models.
    pub family: Option<String>,
    /// The code in Ollama that writes its prompts.
    pub renderer: Option<String>,
    /// The code in Ollama that reads its output.
    pub parser: Option<String>,
    /// The first Ollama version that runs it.
    pub requires: Option<String>,
}

/// What is stored of one manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelVersion {
    /// The sha256 of its bytes.
    pub manifest: Digest,
    /// Its parts; none where only a local server told of it.
    pub layers: Vec<ModelLayer>,
    readings: Vec<ModelReading>,
}

impl ModelVersion {
    /// What each transport says, the most exact first. There is at least one.
    pub fn readings(&self) -> &[ModelReading] {
        &self.readings
    }

    /// The most exact reading.
    pub fn reading(&self) -> Option<&ModelReading> {
        self.readings.first()
    }

    /// The digest of the first layer of a kind.
    pub fn layer(&self, kind: &str) -> Option<Digest> {
        self.layers.iter().find(|layer| layer.kind == kind).map(|layer| layer.digest)
    }

    /// Whether the readings say the same of its parameters. A server's text has lost the
    /// types, so numbers are compared as numbers.
    pub fn agrees(&self) -> bool {
        let Some((first, rest)) = self.readings.split_first() else { return true };
        rest.iter().all(|other| same_params(first.params.as_ref(), other.params.as_ref()))
    }

    /// How well its parameters are supported.
    pub fn grade(&self) -> Grade {
        let hashed = |r: &ModelReading| r.transport != ModelTransport::Server;
        match self.readings.as_slice() {
            [_, _, ..] if self.agrees() => {
                Grade::of_presence(Source::FirstParty, Method::RecordTwice)
            }
            readings if readings.iter().any(hashed) => {
                Grade::of_presence(Source::FirstParty, Method::Record)
            }
            _ => Grade::of_presence(Source::Observation, Method::Record),
        }
    }
}

fn same_params(a: Option<&BTreeMap<String, Value>>, b: Option<&BTreeMap<String, Value>>) -> bool {
    let empty = BTreeMap::new();
    let (a, b) = (a.unwrap_or(&empty), b.unwrap_or(&empty));
    a.len() == b.len() && a.iter().zip(b).all(|((x, v), (y, w))| x == y && same_value(v, w))
}

/// Whether two values of a parameter mean the same: `1` and `1.0` do, and a list of one
/// and its element.
pub fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_value(a, b))
        }
        (Value::Array(one), single) | (single, Value::Array(one)) => {
            matches!(one.as_slice(), [only] if same_value(only, single))
        }
        _ => a == b,
    }
}

/// What a crawl learnt of one model's version.
#[derive(Debug, Clone)]
pub struct NewModelVersion<'a> {
    /// The sha256 of the manifest.
    pub manifest: Digest,
    /// The manifest's parts.
    pub layers: &'a [ModelLayer],
    /// What the transport says.
    pub reading: &'a ModelReading,
}

impl Store {
    /// The row under which receipts of models stand.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn models_id(&self) -> Result<UpstreamId, StoreError> {
        self.ensure_upstream(MODELS)
    }

    /// Keeps bytes under their sha256, and returns it.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add_model_blob(&self, bytes: &[u8]) -> Result<Digest, StoreError> {
        let digest = Digest::of(bytes);
        let packed = zstd::bulk::compress(bytes, 6).map_err(StoreError::io("a model's bytes"))?;
        self.conn.execute(
            "INSERT OR IGNORE INTO model_blob (digest, bytes, content) VALUES (?1, ?2, ?3)",
            params![digest, i64::try_from(bytes.len()).unwrap_or(i64::MAX), packed],
        )?;
        Ok(digest)
    }

    /// The bytes with this sha256, if they are stored.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] where what is stored has another sha256.
    pub fn model_blob(&self, digest: Digest) -> Result<Option<Vec<u8>>, StoreError> {
        let mut query =
            self.conn.prepare_cached("SELECT bytes, content FROM model_blob WHERE digest = ?1")?;
        let row: Option<(i64, Vec<u8>)> =
            query.query_row([digest], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let Some((size, packed)) = row else { return Ok(None) };
        let damaged =
            || StoreError::Damaged(format!("the bytes of {digest} are not what they were"));
        let size = usize::try_from(size).map_err(|_| damaged())?;
        let bytes = zstd::bulk::decompress(&packed, size).map_err(|_| damaged())?;
        if Digest::of(&bytes) != digest {
            return Err(damaged());
        }
        Ok(Some(bytes))
    }

    /// Adds a look at a tag, with what was learnt of its manifest, at once or not at all.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add_model_seen(
        &mut self,
        seen: &ModelSeen,
        version: Option<&NewModelVersion<'_>>,
    ) -> Result<(), StoreError> {
        let tx = self.conn.transaction()?;
        if let Some(version) = version {
            let mut layer = tx.prepare_cached(
                "INSERT OR IGNORE INTO model_layer (manifest, position, kind, digest, bytes)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            for (at, one) in version.layers.iter().enumerate() {
                let (at, bytes) = (i64::try_from(at).unwrap_or(0), i64::try_from(one.bytes));
                let bytes = bytes.unwrap_or(i64::MAX);
                layer.execute(params![version.manifest, at, one.kind, one.digest, bytes])?;
            }
            let reading = version.reading;
            let params = reading.params.as_ref().map(serde_json::to_string).transpose();
            let params = params.map_err(|e| StoreError::Damaged(e.to_string()))?;
            let facts = &reading.facts;
            // What is read now counts: a server that is newer may show more.
            tx.prepare_cached(
                "INSERT OR REPLACE INTO model_reading
                 (manifest, transport, receipt_id, params, format, family, renderer, parser, requires)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![
                version.manifest,
                reading.transport.as_str(),
                reading.receipt,
                params,
                facts.format,
                facts.family,
                facts.renderer,
                facts.parser,
                facts.requires
            ])?;
        }
        tx.execute(
            "INSERT INTO model_seen (name, place, manifest, observed, receipt_id)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                seen.name.full(),
                seen.place.as_str(),
                seen.manifest,
                seen.observed.timestamp(),
                seen.receipt
            ],
        )?;
        tx.commit()?;
        Ok(())
    }

    /// Every look at a model's tag, oldest first; of all models without a name.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn model_seen(&self, name: Option<&ModelName>) -> Result<Vec<ModelSeen>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT name, place, manifest, observed, receipt_id FROM model_seen
             WHERE ?1 IS NULL OR name = ?1 ORDER BY id",
        )?;
        let mut rows = query.query([name.map(ModelName::full)])?;
        let mut out = Vec::new();
        while let Some(row) = rows.next()? {
            let name: String = row.get(0)?;
            out.push(ModelSeen {
                name: name.parse().map_err(|_| StoreError::Damaged(format!("model {name:?}")))?,
                place: ModelPlace::of(&row.get::<_, String>(1)?),
                manifest: row.get(2)?,
                observed: time(row.get(3)?),
                receipt: row.get(4)?,
            });
        }
        Ok(out)
    }

    /// The last look at each model's tag at each place, in the order of names.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn models(&self) -> Result<Vec<ModelSeen>, StoreError> {
        let mut last: BTreeMap<(ModelName, ModelPlace), ModelSeen> = BTreeMap::new();
        for seen in self.model_seen(None)? {
            last.insert((seen.name.clone(), seen.place), seen);
        }
        Ok(last.into_values().collect())
    }

    /// What is stored of a manifest.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn model_version(&self, manifest: Digest) -> Result<Option<ModelVersion>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT transport, receipt_id, params, format, family, renderer, parser, requires
             FROM model_reading WHERE manifest = ?1",
        )?;
        let mut readings: Vec<ModelReading> =
            query.query_map([manifest], reading)?.collect::<Result<_, _>>()?;
        if readings.is_empty() {
            return Ok(None);
        }
        readings.sort_by_key(|r| r.transport);
        let mut query = self.conn.prepare_cached(
            "SELECT kind, digest, bytes FROM model_layer WHERE manifest = ?1 ORDER BY position",
        )?;
        let layer = |row: &Row<'_>| {
            Ok(ModelLayer { kind: row.get(0)?, digest: row.get(1)?, bytes: row.get(2)? })
        };
        let layers = query.query_map([manifest], layer)?.collect::<Result<_, _>>()?;
        Ok(Some(ModelVersion { manifest, layers, readings }))
    }
}

fn reading(row: &Row<'_>) -> rusqlite::Result<ModelReading> {
    let params: Option<String> = row.get(2)?;
    let wrong = |e| rusqlite::Error::FromSqlConversionFailure(2, rusqlite::types::Type::Text, e);
    let params =
        params.map(|text| serde_json::from_str(&text)).transpose().map_err(|e| wrong(e.into()))?;
    Ok(ModelReading {
        transport: ModelTransport::of(&row.get::<_, String>(0)?),
        receipt: row.get(1)?,
        params,
        facts: ModelFacts {
            format: row.get(3)?,
            family: row.get(4)?,
            renderer: row.get(5)?,
            parser: row.get(6)?,
            requires: row.get(7)?,
        },
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(transport: ModelTransport, params: Value) -> ModelReading {
        ModelReading {
            transport,
            receipt: 1,
            params: serde_json::from_value(params).unwrap(),
            facts: ModelFacts::default(),
        }
    }

    #[test]
    fn two_transports_that_agree_are_better_than_one() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open_or_create(dir.path()).unwrap();
        let models = store.models_id().unwrap();
        let receipt = store.add_receipt(models, "registry", "http://r/", Utc::now()).unwrap();
        let manifest = store.add_model_blob(b"{}").unwrap();
        let name: ModelName = "m:1b".parse().unwrap();
        let mut add = |place, reading: ModelReading| {
            let seen = ModelSeen {
                name: name.clone(),
                place,
                manifest: Some(manifest),
                observed: Utc::now(),
                receipt,
            };
            let new = NewModelVersion { manifest, layers: &[], reading: &reading };
            store.add_model_seen(&seen, Some(&new)).unwrap();
            store.model_version(manifest).unwrap().unwrap()
        };
        let told = add(ModelPlace::Installed, read(ModelTransport::Server, json!({"k": 1})));
        assert_eq!(told.grade(), Grade::Measured);
        let told = add(ModelPlace::Registry, read(ModelTransport::Registry, json!({"k": 1.0})));
        assert_eq!(told.grade(), Grade::RecordTwice);
        let told = add(ModelPlace::Installed, read(ModelTransport::Server, json!({"k": 2})));
        assert!(!told.agrees());
        assert_eq!(told.grade(), Grade::Record);
        assert_eq!(store.model_seen(Some(&name)).unwrap().len(), 3);
        assert_eq!(store.models().unwrap().len(), 2);
        // The reserved name is no upstream.
        assert!(store.upstream_names().unwrap().is_empty());
    }

    #[test]
    fn bytes_come_back_as_they_were() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(dir.path()).unwrap();
        let digest = store.add_model_blob(b"{\"a\": 1}\n").unwrap();
        assert_eq!(store.model_blob(digest).unwrap().unwrap(), b"{\"a\": 1}\n");
        assert_eq!(store.model_blob(Digest::of(b"other")).unwrap(), None);
        store.conn.execute("UPDATE model_blob SET bytes = 3", []).unwrap();
        assert!(matches!(store.model_blob(digest), Err(StoreError::Damaged(_))));
    }
}
