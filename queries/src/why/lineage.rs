//! Which families' code a model runs: by what is stored of it, else by its name, and only
//! where the name tells.

use regex::Regex;
use serde::Deserialize;

use super::effective::Asked;
use super::{WhyQuestion, families};
use crate::QueryError;

const FILE: &str = include_str!("../../rules/architectures.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    architecture: Vec<Architecture>,
    layers: Layers,
    operation: Vec<OperationRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Architecture {
    names: String,
    runs: Vec<String>,
    #[serde(default)]
    is: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "a test reads them"))]
    examples: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "a test reads them"))]
    counterexamples: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Layers {
    without: Vec<String>,
    beside: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OperationRule {
    name: String,
    names: String,
    files: String,
    of: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "a test reads them"))]
    examples: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "a test reads them"))]
    counterexamples: Vec<String>,
}

/// Operations that the model's layers do not hold.
#[derive(Debug)]
pub(super) struct Operation {
    /// What the layers are that hold them.
    pub(super) name: String,
    /// Whose layers those are.
    pub(super) of: String,
    /// What a text holds that speaks of one of them, and of others perhaps.
    pub(super) hint: String,
    names: Regex,
    files: Regex,
}

impl Operation {
    /// Whether a name in code is of one of them.
    pub(super) fn is_named(&self, name: &str) -> bool {
        self.names.is_match(name)
    }

    /// Whether a file holds nothing else.
    pub(super) fn owns(&self, path: &str) -> bool {
        self.files.is_match(path)
    }
}

impl TryFrom<OperationRule> for Operation {
    type Error = QueryError;

    fn try_from(rule: OperationRule) -> Result<Self, QueryError> {
        let OperationRule { name, of, names, files, .. } = rule;
        let hint = format!("(?i:{names})");
        let names = regex(&format!("(?i)(?:^|_)(?:{names})(?:_|$)"))?;
        Ok(Operation { name, of, hint, names, files: regex(&files)? })
    }
}

fn wrong(why: &dyn std::fmt::Display) -> QueryError {
    QueryError::Rules { file: "architectures.toml".to_owned(), why: why.to_string() }
}

fn regex(pattern: &str) -> Result<Regex, QueryError> {
    Regex::new(pattern).map_err(|error| wrong(&error))
}

/// What is known of a model's code.
#[derive(Debug)]
pub(super) struct Lineage {
    /// What the model is called in a reason.
    pub(super) label: String,
    /// The families, as files spell them; `None` where it may be any.
    runs: Option<Vec<String>>,
    /// The architectures of which it is one, as GGUF files call them, where that is known.
    is: Vec<String>,
    /// Architectures of what runs beside it.
    beside: Vec<String>,
    /// Operations that it never runs.
    spared: Vec<Operation>,
    /// It rests on the name alone.
    assumed: bool,
}

impl Lineage {
    /// That of the model in question, of which this is stored.
    pub(super) fn asked(
        question: &WhyQuestion,
        stored: Option<&Asked>,
    ) -> Result<Option<Self>, QueryError> {
        question.model.as_deref().map(|name| Lineage::of(name, stored)).transpose()
    }

    pub(super) fn of(name: &str, asked: Option<&Asked>) -> Result<Self, QueryError> {
        let label = families::of_model(name);
        let file: File = toml::from_str(FILE).map_err(|error| wrong(&error))?;
        let shipped = Architectures::of(file.architecture)?;
        let facts = asked.and_then(|asked| asked.version.reading()).map(|reading| &reading.facts);
        let mut out = if let Some(family) = facts.and_then(|facts| facts.family.as_deref()) {
            let renderer = facts.and_then(|facts| facts.renderer.clone());
            let mut runs = vec![label.clone(), family.to_owned()];
            runs.extend(renderer);
            for spelled in [label.as_str(), family] {
                runs.extend(shipped.by_name(spelled).into_iter().flat_map(|one| one.runs.clone()));
            }
            // Other formats name a class of code there.
            let gguf = asked.and_then(Asked::format) == Some("gguf");
            let is = if gguf { vec![family.to_owned()] } else { Vec::new() };
            Lineage {
                label,
                runs: Some(runs),
                is,
                beside: Vec::new(),
                spared: Vec::new(),
                assumed: false,
            }
        } else {
            let base = name.rsplit('/').next().unwrap_or(name).to_lowercase();
            let found = shipped.by_name(&base);
            let runs = found.map(|one| one.runs.clone());
            let is = found.map(|one| one.is.clone()).unwrap_or_default();
            Lineage { label, runs, is, beside: Vec::new(), spared: Vec::new(), assumed: true }
        };
        let Layers { without, beside } = file.layers;
        out.beside = beside;
        let has_plain_layers = |own: &String| without.iter().any(|one| families::same(one, own));
        if !out.is.is_empty() && out.is.iter().all(has_plain_layers) {
            let all = file.operation.into_iter().map(Operation::try_from);
            out.spared = all.collect::<Result<_, _>>()?;
        }
        Ok(out)
    }

    /// Whether it may run a family's code.
    pub(super) fn may_run(&self, family: &str) -> bool {
        let may = |own: &String| families::may_share(own, family);
        self.runs.as_ref().is_none_or(|runs| runs.iter().any(may)) || self.runs_beside(family)
    }

    /// Whether anything is known of it.
    pub(super) fn is_told(&self) -> bool {
        self.runs.is_some()
    }

    /// Whether it may be of an architecture, as GGUF files call it.
    pub(super) fn may_be(&self, architecture: &str) -> bool {
        match self.is.is_empty() {
            true => self.may_run(architecture),
            false => {
                let own = |own: &String| families::same(own, architecture);
                self.is.iter().any(own) || self.runs_beside(architecture)
            }
        }
    }

    fn runs_beside(&self, architecture: &str) -> bool {
        self.beside.iter().any(|one| families::same(one, architecture))
    }

    /// Its architecture in words, or its name.
    pub(super) fn architecture(&self) -> String {
        if self.is.is_empty() { self.label.clone() } else { self.is.join(" or ") }
    }

    /// Its architecture in words, where that is known.
    pub(super) fn known_as(&self) -> Option<String> {
        (!self.is.is_empty()).then(|| self.architecture())
    }

    /// Operations that it never runs: none where its architecture is not known.
    pub(super) fn spared(&self) -> &[Operation] {
        &self.spared
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

/// What a name tells.
struct ByName {
    names: Regex,
    runs: Vec<String>,
    is: Vec<String>,
}

/// What names tell, compiled.
struct Architectures(Vec<ByName>);

impl Architectures {
    fn of(rules: Vec<Architecture>) -> Result<Self, QueryError> {
        let all = rules
            .into_iter()
            .map(|one| Ok(ByName { names: regex(&one.names)?, runs: one.runs, is: one.is }));
        Ok(Architectures(all.collect::<Result<_, QueryError>>()?))
    }

    /// What a name tells of a model; the first entry counts.
    fn by_name(&self, base: &str) -> Option<&ByName> {
        self.0.iter().find(|one| one.names.is_match(base))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_of_its_architecture_and_no_counterexample_is() {
        let file: File = toml::from_str(FILE).unwrap();
        let again: File = toml::from_str(FILE).unwrap();
        let shipped = Architectures::of(again.architecture).unwrap();
        let told = |name: &str| {
            let found = shipped.by_name(&name.to_lowercase());
            found.map(|one| one.names.as_str().to_owned())
        };
        for one in file.architecture {
            for name in &one.examples {
                assert_eq!(told(name).as_ref(), Some(&one.names), "{name}");
            }
            for name in &one.counterexamples {
                assert_ne!(told(name).as_ref(), Some(&one.names), "{name}");
            }
        }
    }

    #[test]
    fn every_operation_is_told_by_its_examples_and_not_by_others() {
        let file: File = toml::from_str(FILE).unwrap();
        for rule in file.operation {
            let (examples, others) = (rule.examples.clone(), rule.counterexamples.clone());
            let one = Operation::try_from(rule).unwrap();
            let is = |text: &String| {
                if text.contains('/') { one.owns(text) } else { one.is_named(text) }
            };
            assert!(examples.iter().all(is), "{}", one.name);
            assert!(!others.iter().any(is), "{}", one.name);
        }
    }

    #[test]
    fn an_architecture_is_known_by_the_names_that_tell_it() {
        let of = |name: &str| Lineage::of(name, None).unwrap();
        let coder = of("qwen3-coder:30b");
        assert!(
            coder.may_be("qwen3moe") && !coder.may_be("qwen3next") && coder.may_run("qwen3next")
        );
        assert_eq!((coder.architecture().as_str(), coder.spared().len()), ("qwen3moe", 3));
        assert!(of("gpt-oss:20b").may_be("gptoss"));
        // The family is known, and not which of its architectures.
        let next = of("qwen3-next:80b");
        assert!(next.may_be("qwen3next") && next.may_be("qwen35") && !next.may_be("gemma4"));
        assert!(next.may_be("eagle3") && coder.may_run("eagle3"), "it may draft for any");
        assert!(next.spared().is_empty() && of("solar").spared().is_empty());
        assert!(of("solar").may_be("anything"));
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
