//! Names of models, as Ollama reads them.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

const HOST: &str = "registry.ollama.ai";
const NAMESPACE: &str = "library";
const TAG: &str = "latest";

/// A model's full name: host, namespace, model and tag. What is left out has Ollama's
/// defaults: `gemma4` is `registry.ollama.ai/library/gemma4:latest`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelName {
    host: String,
    namespace: String,
    model: String,
    tag: String,
}

/// A text that names no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} names no model; write one as Ollama does, like gemma4:26b or owner/model:tag")]
pub struct NotAModelName(pub String);

impl ModelName {
    /// A name from its four parts, each of which must be one that Ollama accepts.
    ///
    /// # Errors
    /// Where one is not.
    pub fn from_parts(
        host: &str,
        namespace: &str,
        model: &str,
        tag: &str,
    ) -> Result<Self, NotAModelName> {
        let valid = host_is_valid(host)
            && part_is_valid(namespace, "-_")
            && part_is_valid(model, "-_.")
            && part_is_valid(tag, "-_.");
        if !valid {
            let text = format!("{host}/{namespace}/{model}:{tag}");
            return Err(NotAModelName(text.chars().take(200).collect()));
        }
        let own = |text: &str| text.to_owned();
        Ok(ModelName {
            host: own(host),
            namespace: own(namespace),
            model: own(model),
            tag: own(tag),
        })
    }

    /// The host, where it is not Ollama's own registry.
    pub fn other_host(&self) -> Option<&str> {
        (self.host != HOST).then_some(&self.host)
    }

    /// Namespace and model, as a registry's path names them.
    pub fn repository(&self) -> String {
        format!("{}/{}", self.namespace, self.model)
    }

    /// The model alone, without namespace and tag.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Whether it is of the registry's own library.
    pub fn is_of_library(&self) -> bool {
        self.host == HOST && self.namespace == NAMESPACE
    }

    /// The tag.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// The name with nothing left out.
    pub fn full(&self) -> String {
        format!("{}/{}/{}:{}", self.host, self.namespace, self.model, self.tag)
    }
}

/// As people write it: the default host and namespace left out, never the tag.
impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host != HOST {
            write!(f, "{}/{}/", self.host, self.namespace)?;
        } else if self.namespace != NAMESPACE {
            write!(f, "{}/", self.namespace)?;
        }
        write!(f, "{}:{}", self.model, self.tag)
    }
}

impl FromStr for ModelName {
    type Err = NotAModelName;

    fn from_str(text: &str) -> Result<Self, NotAModelName> {
        let wrong = || NotAModelName(text.chars().take(200).collect());
        let (path, last) = text.rsplit_once('/').map_or((None, text), |(a, b)| (Some(a), b));
        let (model, tag) = last.split_once(':').unwrap_or((last, TAG));
        let (host, namespace) = match path {
            None => (HOST, NAMESPACE),
            Some(path) => path.split_once('/').unwrap_or((HOST, path)),
        };
        Self::from_parts(host, namespace, model, tag).map_err(|_| wrong())
    }
}

impl Serialize for ModelName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for ModelName {
    fn schema_name() -> Cow<'static, str> {
        "ModelName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "A model's name with its tag, as Ollama writes it.",
        })
    }
}

/// A part is safe in a path and in a URL: it begins with a letter or digit, and holds
/// nothing but these and a few marks.
fn part_is_valid(part: &str, marks: &str) -> bool {
    (1..=80).contains(&part.len())
        && part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && part.chars().all(|c| c.is_ascii_alphanumeric() || marks.contains(c))
}

fn host_is_valid(host: &str) -> bool {
    (1..=253).contains(&host.len())
        && host.starts_with(|c: char| c.is_ascii_alphanumeric())
        && host.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:".contains(c))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_left_out_has_defaults() {
        let name: ModelName = "gemma4:26b".parse().unwrap();
        assert_eq!(name.full(), "registry.ollama.ai/library/gemma4:26b");
        assert_eq!(name.to_string(), "gemma4:26b");
        assert_eq!("qwen2.5".parse::<ModelName>().unwrap().to_string(), "qwen2.5:latest");
        let own: ModelName = "hf.co/owner/model-GGUF:Q4_K_M".parse().unwrap();
        assert_eq!((own.other_host(), own.tag()), (Some("hf.co"), "Q4_K_M"));
        assert_eq!(own.to_string(), "hf.co/owner/model-GGUF:Q4_K_M");
        assert_eq!("owner/m".parse::<ModelName>().unwrap().repository(), "owner/m");
    }

    #[test]
    fn what_could_leave_its_place_is_no_name() {
        for text in
            ["", ":", "a:", "../../etc/passwd", "a/../b", "a b", "é", "a?x", "/a", "a/b/c/d"]
        {
            assert!(text.parse::<ModelName>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,40}") {
            if let Ok(name) = text.parse::<ModelName>() {
                prop_assert_eq!(name.full().parse::<ModelName>().unwrap(), name.clone());
                prop_assert_eq!(name.to_string().parse::<ModelName>().unwrap(), name);
            }
        }
    }
}
