//! Models as a registry keeps them: a manifest and blobs, by digest.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// One model under one tag.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// `gemma4`; names of other namespaces are `owner/name`.
    pub name: String,
    /// `26b`.
    pub tag: String,
    /// `gguf` or `safetensors`.
    pub format: String,
    /// The family that the config names.
    pub family: String,
    /// The published parameters; `None` where the model has no such layer.
    pub params: Option<BTreeMap<String, Value>>,
    /// The renderer in Ollama's code that writes its prompts.
    pub renderer: Option<String>,
    /// The parser in Ollama's code that reads its output.
    pub parser: Option<String>,
    /// The prompt template, where the model brings one.
    pub template: Option<String>,
    /// The first Ollama version that runs it.
    pub requires: Option<String>,
    /// Whether the registry refuses it to everybody with 412, as to an Ollama that is
    /// too old.
    pub refused: bool,
    /// What the library page says about it.
    pub about: String,
}

impl Model {
    /// A GGUF model without parameters.
    pub fn new(name: &str, tag: &str, family: &str) -> Self {
        Model {
            name: name.to_owned(),
            tag: tag.to_owned(),
            format: "gguf".to_owned(),
            family: family.to_owned(),
            params: None,
            renderer: None,
            parser: None,
            template: None,
            requires: None,
            refused: false,
            about: format!("{name}, a model in miniature."),
        }
    }

    /// Publishes parameters: a JSON object.
    #[must_use]
    pub fn params(mut self, params: &Value) -> Self {
        self.params = params.as_object().map(|map| map.clone().into_iter().collect());
        self
    }

    /// Names the code in Ollama that writes and reads for it.
    #[must_use]
    pub fn code(mut self, renderer: &str, parser: &str) -> Self {
        self.renderer = Some(renderer.to_owned());
        self.parser = Some(parser.to_owned());
        self
    }

    /// The name with its namespace.
    pub(crate) fn path(&self) -> String {
        if self.name.contains('/') { self.name.clone() } else { format!("library/{}", self.name) }
    }

    /// The blobs, each with its media type, the config first.
    pub(crate) fn blobs(&self) -> Vec<(&'static str, Vec<u8>)> {
        let line = |value: &Value| format!("{value}\n").into_bytes();
        let mut config = json!({
            "model_format": self.format,
            "model_family": self.family,
            "model_families": [self.family],
            "model_type": "26B",
            "file_type": "Q4_K_M",
            "architecture": "amd64",
            "os": "linux",
            "rootfs": { "type": "layers", "diff_ids": [] },
        });
        for (name, value) in
            [("renderer", &self.renderer), ("parser", &self.parser), ("requires", &self.requires)]
        {
            if let Some(value) = value {
                config[name] = json!(value);
            }
        }
        let weights = if self.format == "gguf" {
            ("application/vnd.ollama.image.model", b"GGUF\x03\0\0\0".to_vec())
        } else {
            ("application/vnd.ollama.image.tensor", b"tensor".to_vec())
        };
        let mut out = vec![
            ("application/vnd.docker.container.image.v1+json", config.to_string().into_bytes()),
            weights,
        ];
        if let Some(template) = &self.template {
            out.push(("application/vnd.ollama.image.template", template.clone().into_bytes()));
        }
        out.push(("application/vnd.ollama.image.license", b"Do as you like.\n".to_vec()));
        if let Some(params) = &self.params {
            // Keys sorted, one line feed at the end: as Go's encoder writes it.
            let params: serde_json::Map<String, Value> = params.clone().into_iter().collect();
            out.push(("application/vnd.ollama.image.params", line(&Value::Object(params))));
        }
        out
    }

    /// The manifest's bytes.
    pub(crate) fn manifest(&self) -> Vec<u8> {
        let layer = |(kind, bytes): &(&str, Vec<u8>)| json!({ "mediaType": kind, "digest": digest(bytes), "size": bytes.len() });
        let blobs = self.blobs();
        let value = json!({
            "schemaVersion": 2,
            "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
            "config": blobs.first().map(layer),
            "layers": blobs.iter().skip(1).map(layer).collect::<Vec<_>>(),
        });
        value.to_string().into_bytes()
    }

    /// The sha256 of the manifest in hexadecimal; people see its first twelve digits.
    pub(crate) fn id(&self) -> String {
        digest(&self.manifest()).trim_start_matches("sha256:").to_owned()
    }
}

/// `sha256:` and the hash of these bytes.
pub(crate) fn digest(bytes: &[u8]) -> String {
    let hex: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// What the registry has.
#[derive(Debug, Clone)]
pub(crate) struct Models(pub Vec<Model>);

impl Models {
    pub fn find(&self, path: &str, tag: &str) -> Option<&Model> {
        self.0.iter().find(|one| one.path() == path && one.tag == tag)
    }

    pub fn blob(&self, wanted: &str) -> Option<Vec<u8>> {
        let mut blobs = self.0.iter().flat_map(Model::blobs);
        blobs.find(|(_, bytes)| digest(bytes) == wanted).map(|(_, bytes)| bytes)
    }
}

impl Default for Models {
    fn default() -> Self {
        let gemma = |tag: &str| {
            Model::new("gemma4", tag, "gemma4")
                .params(&json!({ "temperature": 1, "top_k": 64, "top_p": 0.95 }))
                .code("gemma4", "gemma4")
        };
        let qwen36 = json!({
            "min_p": 0,
            "presence_penalty": 1.5,
            "repeat_penalty": 1,
            "temperature": 1,
            "top_k": 20,
            "top_p": 0.95,
        });
        let mut qwen25 = Model::new("qwen2.5", "7b", "qwen2");
        qwen25.template = Some("{{ .Prompt }}".to_owned());
        let mut tensors = Model::new("gemma4", "26b-nvfp4", "gemma4").code("gemma4", "gemma4");
        tensors.format = "safetensors".to_owned();
        tensors.requires = Some("0.6.0".to_owned());
        Models(vec![
            gemma("26b"),
            gemma("latest"),
            tensors,
            Model::new("qwen3.6", "27b", "qwen3").params(&qwen36),
            Model::new("qwen3-coder", "30b", "qwen3moe").params(&json!({
                "repeat_penalty": 1.05, "stop": ["<stop>", "<end>"], "temperature": 0.7
            })),
            qwen25,
            Model::new("muse-glimmer", "30b", "glimmer")
                .params(&json!({ "temperature": 1 }))
                .code("glimmer", "glimmer"),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameters_blob_is_sorted_and_ends_in_a_line_feed() {
        let models = Models::default();
        let blobs = models.find("library/gemma4", "26b").unwrap().blobs();
        let (kind, bytes) = blobs.last().unwrap();
        assert_eq!(*kind, "application/vnd.ollama.image.params");
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert_eq!(text, "{\"temperature\":1,\"top_k\":64,\"top_p\":0.95}\n");
        assert_eq!(models.blob(&digest(bytes)).as_ref(), Some(bytes));
    }
}
