//! Reading manifests, configurations and parameters: strangers' bytes.

use std::collections::BTreeMap;

use headwater_store::{Digest, ModelFacts, ModelLayer};
use serde::Deserialize;
use serde_json::Value;

/// Bytes that are not of the form that they should have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// No JSON, or not of this shape.
    #[error("{0}")]
    Json(String),
    /// A digest that is none.
    #[error(transparent)]
    Digest(#[from] headwater_store::NotADigest),
    /// Too many parts.
    #[error("it has more than {0} parts")]
    TooMany(usize),
}

/// The most layers that a manifest may have; one of tensors has thousands.
const MOST_LAYERS: usize = 100_000;

#[derive(Deserialize)]
struct Manifest {
    config: Layer,
    #[serde(default)]
    layers: Option<Vec<Layer>>,
}

#[derive(Deserialize)]
struct Layer {
    #[serde(rename = "mediaType", default)]
    media_type: String,
    digest: String,
    #[serde(default)]
    size: u64,
}

#[derive(Deserialize)]
struct Config {
    model_format: Option<String>,
    model_family: Option<String>,
    renderer: Option<String>,
    parser: Option<String>,
    requires: Option<String>,
}

/// A manifest's parts, its configuration first. All tensors are told as one, whose digest
/// is that of theirs in a row.
///
/// # Errors
/// Where these bytes are no manifest.
pub fn layers(bytes: &[u8]) -> Result<Vec<ModelLayer>, FormatError> {
    let manifest: Manifest = json(bytes)?;
    let rest = manifest.layers.unwrap_or_default();
    if rest.len() > MOST_LAYERS {
        return Err(FormatError::TooMany(MOST_LAYERS));
    }
    let mut out = vec![ModelLayer {
        kind: "config".to_owned(),
        digest: manifest.config.digest.parse()?,
        bytes: manifest.config.size,
    }];
    let (mut tensors, mut total) = (Vec::new(), 0_u64);
    for layer in rest {
        let digest: Digest = layer.digest.parse()?;
        let kind = layer.media_type.rsplit(['.', '/']).next().unwrap_or_default();
        if kind == "tensor" {
            tensors.extend_from_slice(digest.as_bytes());
            total = total.saturating_add(layer.size);
            continue;
        }
        let kind = kind.chars().take(40).collect();
        out.push(ModelLayer { kind, digest, bytes: layer.size });
    }
    if !tensors.is_empty() {
        let digest = Digest::of(&tensors);
        out.push(ModelLayer { kind: "tensors".to_owned(), digest, bytes: total });
    }
    Ok(out)
}

/// What a model's configuration says of it.
///
/// # Errors
/// Where these bytes are no configuration.
pub fn config(bytes: &[u8]) -> Result<ModelFacts, FormatError> {
    let config: Config = json(bytes)?;
    let said = |text: Option<String>| text.filter(|text| !text.is_empty());
    Ok(ModelFacts {
        format: said(config.model_format),
        family: said(config.model_family),
        renderer: said(config.renderer),
        parser: said(config.parser),
        requires: said(config.requires),
    })
}

/// A model's parameters: one flat object. Keys that nobody knows are kept.
///
/// # Errors
/// Where these bytes are no object.
pub fn params(bytes: &[u8]) -> Result<BTreeMap<String, Value>, FormatError> {
    json(bytes)
}

fn json<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, FormatError> {
    serde_json::from_slice(bytes).map_err(|e| FormatError::Json(e.to_string()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tensors_are_told_as_one() {
        let one = Digest::of(b"1");
        let layer = |kind: &str| {
            format!(
                "{{\"mediaType\":\"application/vnd.ollama.image.{kind}\",\"digest\":\"{one}\",\"size\":2}}"
            )
        };
        let text = format!(
            "{{\"config\":{},\"layers\":[{},{},{}]}}",
            layer("x"),
            layer("tensor"),
            layer("params"),
            layer("tensor")
        );
        let found = layers(text.as_bytes()).unwrap();
        let told: Vec<_> = found.iter().map(|l| (l.kind.as_str(), l.bytes)).collect();
        assert_eq!(told, [("config", 2), ("params", 2), ("tensors", 4)]);
    }

    #[test]
    fn what_is_no_manifest_is_refused() {
        for text in ["", "[]", "{}", "{\"config\":{\"digest\":\"sha256:..\"}}", "<html>", "null"] {
            assert!(layers(text.as_bytes()).is_err(), "{text}");
        }
        assert!(params(b"[1]").is_err());
        let deep = "[".repeat(100_000);
        assert!(params(deep.as_bytes()).is_err() && layers(deep.as_bytes()).is_err());
        let unknown = params(b"{\"new_knob\": {\"a\": [1]}, \"stop\": [\"x\"]}\n").unwrap();
        assert_eq!(unknown.len(), 2);
        assert_eq!(config(b"{\"renderer\":\"\",\"parser\":\"p\"}").unwrap().renderer, None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_them_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = (layers(&bytes), config(&bytes), params(&bytes));
        }

        #[test]
        fn nor_does_json_of_another_shape(
            text in "\\{(\"(config|layers|digest|size|mediaType|renderer)\":(\\{\\}|\\[1\\]|\"sha256:\"|-1|null|1e400),?){0,5}\\}?"
        ) {
            let _ = (layers(text.as_bytes()), config(text.as_bytes()), params(text.as_bytes()));
        }
    }
}
