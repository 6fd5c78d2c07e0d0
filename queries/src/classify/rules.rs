//! A set of rules: read, checked, made ready, and run.

use std::path::{Path, PathBuf};

use headwater_store::model::{CommitPatch, Label, LineRef};
use regex::bytes::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::Serialize;

use super::compile::{BadRule, Compiler, Rule, Tables, glob_set};
use super::evaluate;
use super::label::Fact;
use super::source::RuleSource;
use super::texts::{Parsed, RuleTexts, Written};
use super::told::{self, RuleTold};
use super::view::{Reading, View};

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
    #[error("the rule file {path} is not valid: line {line}, column {column}: {why}")]
    Parse {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong there.
        why: String,
    },
    /// A rule is not sound.
    #[error(transparent)]
    Rule(#[from] BadRule),
}

/// What a rule is, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
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
    /// The line of the file at which it starts, from 1.
    pub line: usize,
    /// Whether it is the user's own.
    pub own: bool,
    /// Whether it is the user's own and has the id of a built-in one, whose place it takes.
    pub replaces: bool,
}

/// A set of rules, ready to run.
pub struct Rules {
    rules: Vec<Rule>,
    written: Vec<Written>,
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

    /// Rules from what was read.
    pub(super) fn of(parsed: Parsed, hash: [u8; 32]) -> Result<Self, RulesError> {
        let mut compiler = Compiler::default();
        let mut rules = Vec::with_capacity(parsed.rules.len());
        for written in &parsed.rules {
            let rule = compiler.rule(written.class.as_deref(), &written.rule);
            rules.push(rule.map_err(|BadRule { rule, what }| BadRule {
                rule,
                what: format!("{what} (in {}, the rule at line {})", written.file, written.line),
            })?);
        }
        let bad = |what: String| BadRule { rule: "(all rules together)".into(), what };
        let one = |name: &str, all: &[String]| {
            any_of(all).map_err(|error| bad(format!("{name}: {error}")))
        };
        Ok(Rules {
            rules,
            written: parsed.rules,
            tables: compiler.finish().map_err(bad)?,
            reading: Reading {
                log_calls: one("log_calls", &parsed.log_calls)?,
                log_blocks: one("log_blocks", &parsed.log_blocks)?,
                error_calls: one("error_calls", &parsed.error_calls)?,
                aside: glob_set(&parsed.aside).map_err(|e| bad(format!("aside: {e}")))?,
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
            .zip(&self.written)
            .map(|(rule, written)| RuleInfo {
                id: rule.id.clone(),
                class: rule.class.clone(),
                description: rule.description.clone(),
                upstreams: rule.upstreams.clone(),
                file: written.file.clone(),
                line: written.line,
                own: written.own,
                replaces: written.replaces,
            })
            .collect()
    }

    /// Each rule as written, with the file it stands in.
    pub fn sources(&self) -> impl Iterator<Item = (&str, &RuleSource)> {
        self.written.iter().map(|written| (written.file.as_str(), &written.rule))
    }

    /// What keeps a rule from firing on a commit, condition by condition; nothing where no
    /// rule has the id.
    pub fn told(
        &self,
        id: &str,
        upstream: &str,
        patch: &CommitPatch,
        facts: &[Fact],
    ) -> Option<RuleTold> {
        let at = self.rules.iter().position(|rule| rule.id == id)?;
        let view = View::of(patch, &self.reading);
        let (rule, source) = (&self.rules[at], &self.written[at].rule);
        Some(told::of(rule, source, &self.tables, &view, facts, upstream))
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
        RuleTexts::own(vec![("own.toml".into(), text.to_owned())]).compile()
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

    /// A directory of rule files beside the built-in ones.
    fn beside(files: &[(&str, &str)]) -> RuleTexts {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        RuleTexts::with_dir(dir.path()).unwrap()
    }

    #[test]
    fn a_rule_takes_the_place_of_a_built_in_one_with_its_id_and_changes_the_hash() {
        let built_in = Rules::built_in().unwrap();
        let first = built_in.list()[0].id.clone();
        let own = format!("{ONE}[[rules.when]]\nline = 'x'\n").replace("a/b", &first);
        let both = beside(&[("own.toml", &own)]).compile().unwrap();
        assert_eq!(both.list().len(), built_in.list().len());
        let place = both.list().into_iter().find(|rule| rule.id == first).unwrap();
        assert_eq!((place.description.as_str(), place.own, place.replaces), ("d", true, true));
        assert_ne!(both.hash(), built_in.hash());
    }

    #[test]
    fn an_id_that_stands_twice_is_refused_with_both_places() {
        let text = format!("{ONE}[[rules.when]]\nline = 'x'\n");
        let error = beside(&[("a.toml", &text), ("b.toml", &text)]).compile().err().unwrap();
        let told = error.to_string();
        assert!(told.contains("a.toml at line 1") && told.contains("b.toml at line 1"), "{told}");
        assert!(rules(&format!("{text}{text}")).is_err());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let shape = rules(&format!("{ONE}[[rules.when]]\nlines = 'x'\n")).err().unwrap();
        assert!(shape.to_string().contains("line 6, column 1"), "{shape}");
        let pattern = rules(&format!("\n{ONE}[[rules.when]]\nline = '('\n")).err().unwrap();
        assert!(pattern.to_string().contains("the rule at line 2"), "{pattern}");
    }

    #[test]
    fn only_what_decides_an_upstreams_labels_is_in_its_hash() {
        let own = |upstream: &str, description: &str, line: &str| {
            let text =
                format!("{ONE}upstreams = [\"{upstream}\"]\n[[rules.when]]\nline = '{line}'\n");
            let text = text.replace("\"d\"", &format!("\"{description}\""));
            beside(&[("own.toml", &text)]).hash_for("ollama").unwrap()
        };
        let none = RuleTexts::built_in().hash_for("ollama").unwrap();
        assert_eq!(own("llama.cpp", "d", "x"), none);
        assert_ne!(own("ollama", "d", "x"), none);
        assert_eq!(own("ollama", "d", "x"), own("ollama", "other words", "x"));
        assert_ne!(own("ollama", "d", "x"), own("ollama", "d", "y"));
    }
}
