//! Which families' code a model runs: by what is stored of it, else by its name, and only
//! where the name tells.

use regex::Regex;
use serde::Deserialize;

use super::effective::Asked;
use super::families;
use crate::QueryError;

const FILE: &str = include_str!("../../rules/architectures.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    architecture: Vec<Architecture>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Architecture {
    names: String,
    runs: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "a test reads them"))]
    examples: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "a test reads them"))]
    counterexamples: Vec<String>,
}

/// What is known of a model's code.
#[derive(Debug)]
pub(super) struct Lineage {
    /// What the model is called in a reason.
    pub(super) label: String,
    /// The families, as files spell them; `None` where it may be any.
    runs: Option<Vec<String>>,
    /// It rests on the name alone.
    assumed: bool,
}

impl Lineage {
    pub(super) fn of(name: &str, asked: Option<&Asked>) -> Result<Self, QueryError> {
        let label = families::of_model(name);
        let shipped = Architectures::shipped()?;
        let facts = asked.and_then(|asked| asked.version.reading()).map(|reading| &reading.facts);
        if let Some(family) = facts.and_then(|facts| facts.family.as_deref()) {
            let renderer = facts.and_then(|facts| facts.renderer.clone());
            let mut runs = vec![label.clone(), family.to_owned()];
            runs.extend(renderer);
            for spelled in [label.as_str(), family] {
                runs.extend(shipped.by_name(spelled).into_iter().flatten().cloned());
            }
            return Ok(Lineage { label, runs: Some(runs), assumed: false });
        }
        let base = name.rsplit('/').next().unwrap_or(name).to_lowercase();
        let runs = shipped.by_name(&base).map(<[String]>::to_vec);
        Ok(Lineage { label, runs, assumed: true })
    }

    /// Whether it may run a family's code.
    pub(super) fn may_run(&self, family: &str) -> bool {
        let may = |own: &String| families::may_share(own, family);
        self.runs.as_ref().is_none_or(|runs| runs.iter().any(may))
    }

    /// Whether a line names one of its families.
    pub(super) fn is_named_in(&self, line: &str) -> bool {
        let own = self.runs.iter().flatten().chain([&self.label]);
        own.into_iter().any(|own| families::named_in(own, line))
    }

    /// The families that its name alone makes it of.
    pub(super) fn assumed(&self) -> Option<&[String]> {
        self.runs.as_deref().filter(|_| self.assumed)
    }
}

/// What names tell, compiled.
struct Architectures(Vec<(Regex, Vec<String>)>);

impl Architectures {
    fn shipped() -> Result<Self, QueryError> {
        let wrong = |why: String| QueryError::Rules { file: "architectures.toml".to_owned(), why };
        let file: File = toml::from_str(FILE).map_err(|error| wrong(error.to_string()))?;
        let all = file.architecture.into_iter().map(|one| {
            let names = Regex::new(&one.names).map_err(|error| wrong(error.to_string()))?;
            Ok((names, one.runs))
        });
        Ok(Architectures(all.collect::<Result<_, QueryError>>()?))
    }

    /// The families that a name tells of.
    fn by_name(&self, base: &str) -> Option<&[String]> {
        let mut all = self.0.iter();
        all.find(|(names, _)| names.is_match(base)).map(|(_, runs)| runs.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_of_its_architecture_and_no_counterexample_is() {
        let file: File = toml::from_str(FILE).unwrap();
        let shipped = Architectures::shipped().unwrap();
        for one in file.architecture {
            for name in &one.examples {
                assert_eq!(
                    shipped.by_name(&name.to_lowercase()),
                    Some(one.runs.as_slice()),
                    "{name}"
                );
            }
            for name in &one.counterexamples {
                assert_ne!(
                    shipped.by_name(&name.to_lowercase()),
                    Some(one.runs.as_slice()),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn a_name_that_tells_nothing_rules_nothing_out() {
        let of = |name: &str| Lineage::of(name, None).unwrap();
        for name in ["mistral:7b", "deepseek-r1:8b", "solar", "hf.co/me/my-finetune"] {
            assert!(of(name).may_run("llama") && of(name).may_run("qwen3"), "{name}");
            assert!(of(name).assumed().is_none());
        }
        assert!(!of("gemma4:26b").may_run("qwen3") && of("gemma4:26b").may_run("gemma3n"));
        assert!(of("gpt-oss:20b").may_run("openai-moe-iswa"));
        assert!(!of("gpt-oss:20b").may_run("gemma2"));
        assert!(of("phi4").may_run("phi3") && of("gemma4").assumed().is_some());
    }
}
