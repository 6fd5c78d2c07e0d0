//! What a model's name tells: family, size, experts, quantization.

use std::collections::HashSet;

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RulesError;

const FAMILIES: &str = include_str!("../../rules/rank/families.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    traits: std::collections::BTreeMap<String, String>,
    family: Vec<FamilyRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FamilyRule {
    name: String,
    names: String,
    traits: Vec<String>,
    #[serde(default)]
    moe: Option<bool>,
    examples: Vec<String>,
}

/// What a name tells of a model. What it does not tell is `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct ModelName {
    /// Its family, by the name in the map.
    pub family: Option<String>,
    /// Its parameters, in thousand millions.
    pub billions: Option<f64>,
    /// The parameters that one token runs through, of a mixture of experts.
    pub active_billions: Option<f64>,
    /// Whether it is a mixture of experts.
    pub moe: Option<bool>,
    /// Its quantization, in capitals as GGUF names it.
    pub quantization: Option<String>,
    /// The concepts that a question about it gains.
    pub concepts: Vec<String>,
}

/// Reads names of models.
#[derive(Debug)]
pub struct ModelNames {
    traits: std::collections::BTreeMap<String, String>,
    families: Vec<(Regex, String, Vec<String>, Option<bool>)>,
    size: Regex,
    active: Regex,
    many: Regex,
    quantization: Regex,
    /// The words that names in public are made of.
    words: HashSet<String>,
}

impl ModelNames {
    /// The families that ship with the binary.
    ///
    /// # Errors
    /// Where the file is no valid TOML or holds an invalid pattern.
    pub fn shipped() -> Result<Self, RulesError> {
        let file: File = toml::from_str(FAMILIES)?;
        let examples = file.family.iter().flat_map(|f| f.examples.iter().chain([&f.name]));
        let mut words: HashSet<String> = examples.flat_map(|name| letters(name)).collect();
        words.insert("latest".to_owned());
        let families = file
            .family
            .into_iter()
            .map(|f| Ok((Regex::new(&f.names)?, f.name, f.traits, f.moe)))
            .collect::<Result<_, RulesError>>()?;
        Ok(ModelNames {
            words,
            traits: file.traits,
            families,
            size: Regex::new(r"(?:^|[^a-z0-9.])e?(\d+(?:\.\d+)?)(b|m)(?:[^a-z0-9]|$)")?,
            active: Regex::new(r"(?:^|[^a-z0-9])a(\d+(?:\.\d+)?)b(?:[^a-z0-9]|$)")?,
            many: Regex::new(r"(?:^|[^a-z0-9])(\d+)x(\d+(?:\.\d+)?)b")?,
            quantization: Regex::new(
                r"(?:^|[^a-z0-9])(i?q\d(?:_\d|_k)?(?:_(?:xxs|xs|s|m|l|xl|nl))?|mxfp4|nvfp4|tq\d_\d|bf16|f?p?16|f32)(?:[^a-z0-9]|$)",
            )?,
        })
    }

    /// Whether a name is made of public words alone: one of a known family, with sizes and
    /// quantizations. A name that somebody gave his own variant is not.
    pub fn is_public(&self, name: &str) -> bool {
        let known = |word: String| word.len() < 2 || self.words.contains(&word);
        !name.contains('/') && self.parse(name).family.is_some() && letters(name).all(known)
    }

    /// What `name` tells.
    pub fn parse(&self, name: &str) -> ModelName {
        let lower = name.to_lowercase();
        // `hf.co/author/name:tag` and `author/name` are about the last part.
        let base = lower.rsplit('/').next().unwrap_or(&lower).trim();
        let mut out = ModelName::default();
        for (names, family, traits, moe) in &self.families {
            if names.is_match(base) {
                out.family = Some(family.clone());
                out.moe = *moe;
                out.concepts = traits.iter().filter_map(|t| self.traits.get(t).cloned()).collect();
                break;
            }
        }
        let number =
            |text: Option<regex::Match<'_>>| text.and_then(|m| m.as_str().parse::<f64>().ok());
        if let Some(found) = self.size.captures(base) {
            let million = found.get(2).is_some_and(|unit| unit.as_str() == "m");
            out.billions = number(found.get(1)).map(|n| if million { n / 1000.0 } else { n });
        }
        if let Some(found) = self.active.captures(base) {
            out.active_billions = number(found.get(1));
            out.moe = Some(true);
        }
        if let Some(found) = self.many.captures(base) {
            out.billions = number(found.get(1)).zip(number(found.get(2))).map(|(n, size)| n * size);
            out.moe = Some(true);
        }
        if base.contains("moe") {
            out.moe = Some(true);
        }
        out.quantization = self
            .quantization
            .captures(base)
            .and_then(|found| found.get(1))
            .map(|found| found.as_str().to_uppercase());
        if out.moe == Some(true)
            && let Some(experts) =
                self.traits.get("moe").filter(|name| !out.concepts.contains(name))
        {
            out.concepts.push(experts.clone());
        }
        out
    }
}

/// The words of a name, in small letters and without what counts.
fn letters(name: &str) -> impl Iterator<Item = String> + use<> {
    let name = name.to_lowercase();
    let words = name.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_somebodys_own_is_not_public() {
        let names = ModelNames::shipped().unwrap();
        for name in ["gemma4:26b", "qwen3.6:27b-q4_K_M", "gpt-oss:20b", "gemma4:latest"] {
            assert!(names.is_public(name), "{name}");
        }
        for name in ["my-gemma:latest", "gemma4:acme", "me/gemma4:26b", "acme:7b", ""] {
            assert!(!names.is_public(name), "{name}");
        }
    }

    #[test]
    fn every_family_is_guarded_by_its_examples() {
        let names = ModelNames::shipped().unwrap();
        let file: File = toml::from_str(FAMILIES).unwrap();
        for family in &file.family {
            for example in &family.examples {
                assert_eq!(names.parse(example).family.as_ref(), Some(&family.name), "{example}");
            }
            for known in &family.traits {
                assert!(
                    file.traits.contains_key(known),
                    "{}: the trait {known} names no concept",
                    family.name
                );
            }
        }
        assert_eq!(names.parse("something-else:7b").family, None);
    }

    #[test]
    fn names_tell_size_experts_and_quantization() {
        let names = ModelNames::shipped().unwrap();
        let parsed = names.parse("hf.co/someone/Qwen3-30B-A3B-GGUF:Q4_K_M");
        assert_eq!(parsed.billions, Some(30.0));
        assert_eq!(parsed.active_billions, Some(3.0));
        assert_eq!(parsed.moe, Some(true));
        assert_eq!(parsed.quantization.as_deref(), Some("Q4_K_M"));
        assert_eq!(names.parse("mixtral:8x7b").billions, Some(56.0));
        assert_eq!(names.parse("embeddinggemma:300m").billions, Some(0.3));
        assert_eq!(names.parse("model-IQ3_XS.gguf").quantization.as_deref(), Some("IQ3_XS"));
        let llama = names.parse("llama3.1:8b-instruct-q8_0");
        assert_eq!((llama.moe, llama.billions), (Some(false), Some(8.0)));
        assert_eq!(llama.quantization.as_deref(), Some("Q8_0"));
        assert_eq!(names.parse("tinyllama").billions, None);
    }

    #[test]
    fn never_panics() {
        let names = ModelNames::shipped().unwrap();
        proptest::proptest!(|(name in "\\PC{0,60}")| {
            let _ = names.parse(&name);
        });
    }
}
