//! A set of rules: read, checked, made ready, and run.

use std::path::{Path, PathBuf};

use headwater_store::model::{CommitPatch, Label, LineRef};
use regex::bytes::{Regex, RegexBuilder};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::built_in::FILES;
use super::compile::{BadRule, Compiler, Rule, Tables, glob_set};
use super::evaluate;
use super::label::Fact;
use super::source::{RuleFile, RuleSource};
use super::view::{Reading, View};

/// Raised when the engine itself judges otherwise than before: labels made by an older
/// one are made anew.
const ENGINE: &str = "classes/2";

/// Why rules cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RulesError {
    /// A file cannot be read.
    #[error("cannot read the rule file {path}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file is no TOML of the shape that docs/rules.md describes.
    #[error("the rule file {path} is not valid")]
    Parse {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// A rule is not sound.
    #[error(transparent)]
    Rule(#[from] BadRule),
}

/// What a rule is, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleInfo {
    /// Its id.
    pub id: String,
    /// The class it gives.
    pub class: String,
    /// What it recognises.
    pub description: String,
    /// The upstreams it is for; empty for every one.
    pub upstreams: Vec<String>,
    /// The file it stands in.
    pub file: String,
}

/// The texts of rule files, in order: enough to know whether labels are still current,
/// without compiling thousands of patterns.
#[derive(Debug, Clone)]
pub struct RuleTexts {
    texts: Vec<(PathBuf, String)>,
}

impl RuleTexts {
    /// The files that come with the program.
    pub fn built_in() -> Self {
        let texts = FILES.iter().map(|&(name, text)| (name.into(), text.to_owned())).collect();
        RuleTexts { texts }
    }

    /// The built-in files, then every `*.toml` below `dir` in the order of their paths.
    ///
    /// # Errors
    /// A file that cannot be read; a missing `dir` is none.
    pub fn with_dir(dir: &Path) -> Result<Self, RulesError> {
        let mut all = Self::built_in();
        let mut own = Vec::new();
        collect(dir, &mut own)?;
        own.sort();
        for path in own {
            let text = std::fs::read_to_string(&path)
                .map_err(|source| RulesError::Read { path: path.clone(), source })?;
            all.texts.push((path, text));
        }
        Ok(all)
    }

    /// The hash of everything that decides a label besides the commit: as
    /// [`Rules::hash`] of the compiled rules.
    pub fn hash(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(ENGINE);
        for (_, text) in &self.texts {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text);
        }
        hash.finalize().into()
    }

    /// The hash, in hexadecimal digits.
    pub fn hash_hex(&self) -> String {
        self.hash().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The rules, ready to run.
    ///
    /// # Errors
    /// A text that is not sound.
    pub fn compile(&self) -> Result<Rules, RulesError> {
        Rules::from_texts(self.texts.clone())
    }
}

/// A set of rules, ready to run.
pub struct Rules {
    rules: Vec<Rule>,
    sources: Vec<(String, RuleSource)>,
    tables: Tables,
    reading: Reading,
    hash: [u8; 32],
}

impl Rules {
    /// The rules that come with the program.
    ///
    /// # Errors
    /// Never for a released binary; a test reads each built-in file.
    pub fn built_in() -> Result<Self, RulesError> {
        RuleTexts::built_in().compile()
    }

    /// The built-in rules, then every `*.toml` below `dir` in the order of their paths.
    /// A rule with the id of an earlier one takes its place.
    ///
    /// # Errors
    /// A file that cannot be read or is not sound; a missing `dir` is none.
    pub fn with_dir(dir: &Path) -> Result<Self, RulesError> {
        RuleTexts::with_dir(dir)?.compile()
    }

    /// Rules from the texts of files, in order.
    ///
    /// # Errors
    /// A text that is not sound.
    pub fn from_texts(texts: Vec<(PathBuf, String)>) -> Result<Self, RulesError> {
        let mut compiler = Compiler::default();
        let mut rules: Vec<Rule> = Vec::new();
        let mut sources: Vec<(String, RuleSource)> = Vec::new();
        let mut log_calls = Vec::new();
        let mut error_calls = Vec::new();
        let mut aside = Vec::new();
        let hash = RuleTexts { texts: texts.clone() }.hash();
        for (path, text) in texts {
            let file: RuleFile = toml::from_str(&text).map_err(|source| RulesError::Parse {
                path: path.clone(),
                source: Box::new(source),
            })?;
            log_calls.extend(file.log_calls);
            error_calls.extend(file.error_calls);
            aside.extend(file.aside);
            for source in file.rules {
                let rule = compiler.rule(file.class.as_deref(), &source)?;
                let entry = (path.to_string_lossy().into_owned(), source);
                match rules.iter().position(|known| known.id == rule.id) {
                    Some(at) => {
                        rules[at] = rule;
                        sources[at] = entry;
                    }
                    None => {
                        rules.push(rule);
                        sources.push(entry);
                    }
                }
            }
        }
        let bad = |what: String| BadRule { rule: "(all rules together)".into(), what };
        Ok(Rules {
            rules,
            sources,
            tables: compiler.finish().map_err(bad)?,
            reading: Reading {
                log_calls: any_of(&log_calls).map_err(|e| bad(format!("log_calls: {e}")))?,
                error_calls: any_of(&error_calls).map_err(|e| bad(format!("error_calls: {e}")))?,
                aside: glob_set(&aside).map_err(|e| bad(format!("aside: {e}")))?,
            },
            hash,
        })
    }

    /// The classes of a commit of `upstream`, given the facts known of it.
    pub fn classify(&self, upstream: &str, patch: &CommitPatch, facts: &[Fact]) -> Vec<Label> {
        let view = View::of(patch, &self.reading);
        evaluate::labels(&self.rules, &self.tables, &view, facts, upstream)
    }

    /// For a class that covering rules give (`inert`): a line of each hunk that none of
    /// them covers, so that the class is not given.
    pub fn uncovered(
        &self,
        class: &str,
        upstream: &str,
        patch: &CommitPatch,
        facts: &[Fact],
    ) -> Vec<LineRef> {
        let view = View::of(patch, &self.reading);
        evaluate::uncovered(&self.rules, &self.tables, &view, facts, upstream, class)
    }

    /// The classes that covering rules give.
    pub fn covering_classes(&self) -> Vec<&str> {
        let covering = self.rules.iter().filter(|rule| rule.covers);
        let mut classes: Vec<&str> = covering.map(|rule| rule.class.as_str()).collect();
        classes.sort_unstable();
        classes.dedup();
        classes
    }

    /// The hash of everything that decides a label besides the commit: by it derived
    /// labels know whether they are current.
    pub fn hash(&self) -> [u8; 32] {
        self.hash
    }

    /// The hash, in hexadecimal digits.
    pub fn hash_hex(&self) -> String {
        self.hash.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Each rule, in order.
    pub fn list(&self) -> Vec<RuleInfo> {
        self.rules
            .iter()
            .zip(&self.sources)
            .map(|(rule, (file, _))| RuleInfo {
                id: rule.id.clone(),
                class: rule.class.clone(),
                description: rule.description.clone(),
                upstreams: rule.upstreams.clone(),
                file: file.clone(),
            })
            .collect()
    }

    /// Each rule as written, with the file it stands in.
    pub fn sources(&self) -> impl Iterator<Item = (&str, &RuleSource)> {
        self.sources.iter().map(|(file, source)| (file.as_str(), source))
    }
}

/// One expression for any of several, none matching nothing.
fn any_of(patterns: &[String]) -> Result<Regex, String> {
    for pattern in patterns {
        RegexBuilder::new(pattern).unicode(false).build().map_err(|error| error.to_string())?;
    }
    let all = match patterns {
        [] => r"[^\s\S]".to_owned(),
        all => all.iter().map(|p| format!("(?:{p})")).collect::<Vec<_>>().join("|"),
    };
    RegexBuilder::new(&all).unicode(false).build().map_err(|error| error.to_string())
}

fn collect(dir: &Path, into: &mut Vec<PathBuf>) -> Result<(), RulesError> {
    let entries = match std::fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(RulesError::Read { path: dir.to_owned(), source }),
    };
    for entry in entries {
        let path =
            entry.map_err(|source| RulesError::Read { path: dir.to_owned(), source })?.path();
        if path.is_dir() {
            collect(&path, into)?;
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            into.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::check_examples;
    use super::*;

    #[test]
    fn every_rule_has_examples_and_lives_up_to_them() {
        let failures = check_examples(&Rules::built_in().unwrap());
        assert!(failures.is_empty(), "{failures:#?}");
    }

    fn rules(text: &str) -> Result<Rules, RulesError> {
        Rules::from_texts(vec![("own.toml".into(), text.to_owned())])
    }

    const ONE: &str = "[[rules]]\nid = \"a/b\"\nclass = \"a\"\ndescription = \"d\"\n";

    #[test]
    fn a_rule_without_examples_is_reported() {
        let rules = rules(&format!("{ONE}[[rules.when]]\nline = 'x'\n")).unwrap();
        let missing: Vec<_> = check_examples(&rules).into_iter().map(|f| f.what).collect();
        assert_eq!(
            missing,
            ["it has no [[rules.must_match]]", "it has no [[rules.must_not_match]]"]
        );
    }

    #[test]
    fn a_rule_that_reads_only_the_message_is_refused() {
        let error = rules(&format!("{ONE}[[rules.when]]\nsubject = 'x'\n")).err().unwrap();
        assert!(error.to_string().contains("subjects lie"), "{error}");
    }

    #[test]
    fn unsound_patterns_and_unknown_keys_are_refused() {
        for bad in ["line = '('", "files = ['a[']", "lines = 'x'", "only = ['nothing']"] {
            assert!(rules(&format!("{ONE}[[rules.when]]\n{bad}\n")).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_later_rule_takes_the_place_of_one_with_its_id_and_changes_the_hash() {
        let first = format!("{ONE}[[rules.when]]\nline = 'x'\n");
        let second = first.replace("'x'", "'y'").replace("\"d\"", "\"other\"");
        let both =
            Rules::from_texts(vec![("a.toml".into(), first.clone()), ("b.toml".into(), second)])
                .unwrap();
        assert_eq!(both.list().len(), 1);
        assert_eq!(both.list()[0].description, "other");
        assert_ne!(both.hash(), rules(&first).unwrap().hash());
    }
}
