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
use super::told::{self, RuleTold};
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
    /// The line of the file at which it starts, from 1.
    pub line: usize,
    /// Whether it is the user's own.
    pub own: bool,
    /// Whether it is the user's own and has the id of a built-in one, whose place it takes.
    pub replaces: bool,
}

/// The text of a rule file.
#[derive(Debug, Clone)]
struct RuleText {
    path: PathBuf,
    text: String,
    /// Whether it is the user's own.
    own: bool,
}

impl RuleText {
    fn parse(&self) -> Result<RuleFile, RulesError> {
        toml::from_str(&self.text).map_err(|error| {
            let (line, column) = position(&self.text, error.span().map_or(0, |span| span.start));
            let why = error.message().to_owned();
            RulesError::Parse { path: self.path.clone(), line, column, why }
        })
    }
}

/// The line and column, from 1, of a byte of a text.
fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    (line, before.len() - start + 1)
}

/// A rule as written, and where.
struct Written {
    file: String,
    line: usize,
    own: bool,
    replaces: bool,
    class: Option<String>,
    rule: RuleSource,
}

/// The texts of rule files, in order: enough to know whether labels are still current,
/// without compiling thousands of patterns.
#[derive(Debug, Clone)]
pub struct RuleTexts {
    texts: Vec<RuleText>,
}

/// Rule files, read: the rules in force, and what all of them share.
struct Parsed {
    rules: Vec<Written>,
    log_calls: Vec<String>,
    log_blocks: Vec<String>,
    error_calls: Vec<String>,
    aside: Vec<String>,
}

impl RuleTexts {
    /// The files that come with the program.
    pub fn built_in() -> Self {
        let text = |&(name, text): &(&str, &str)| RuleText {
            path: name.into(),
            text: text.to_owned(),
            own: false,
        };
        RuleTexts { texts: FILES.iter().map(text).collect() }
    }

    /// Texts of the user's own, alone.
    pub fn own(texts: Vec<(PathBuf, String)>) -> Self {
        let texts = texts.into_iter().map(|(path, text)| RuleText { path, text, own: true });
        RuleTexts { texts: texts.collect() }
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
            all.texts.push(RuleText { path, text, own: true });
        }
        Ok(all)
    }

    /// Reads the files. A rule of the user's own takes the place of a built-in one with its
    /// id; two of a kind with one id are a mistake.
    fn parse(&self) -> Result<Parsed, RulesError> {
        let mut all = Parsed {
            rules: Vec::new(),
            log_calls: Vec::new(),
            log_blocks: Vec::new(),
            error_calls: Vec::new(),
            aside: Vec::new(),
        };
        for text in &self.texts {
            let file = text.parse()?;
            all.log_calls.extend(file.log_calls);
            all.log_blocks.extend(file.log_blocks);
            all.error_calls.extend(file.error_calls);
            all.aside.extend(file.aside);
            for rule in file.rules {
                let (line, _) = position(&text.text, rule.span().start);
                let rule = rule.into_inner();
                let known = all.rules.iter().position(|known| known.rule.id == rule.id);
                let written = Written {
                    file: text.path.to_string_lossy().into_owned(),
                    line,
                    own: text.own,
                    replaces: known.is_some(),
                    class: file.class.clone(),
                    rule,
                };
                match known {
                    Some(at) if all.rules[at].own == written.own => {
                        let first = &all.rules[at];
                        let what = format!(
                            "its id stands twice: in {} at line {}, and in {} at line {}; give \
                             one of them another",
                            first.file, first.line, written.file, written.line
                        );
                        return Err(BadRule { rule: written.rule.id, what }.into());
                    }
                    Some(at) => all.rules[at] = written,
                    None => all.rules.push(written),
                }
            }
        }
        Ok(all)
    }

    /// The classes that rules give, in order.
    ///
    /// # Errors
    /// A text that is not sound.
    pub fn classes(&self) -> Result<Vec<String>, RulesError> {
        let rules = self.parse()?.rules.into_iter();
        let mut all: Vec<String> = rules.filter_map(|w| w.rule.class.or(w.class)).collect();
        all.sort();
        all.dedup();
        Ok(all)
    }

    /// The hash of what decides the labels of one upstream: rules for others, descriptions
    /// and examples are left out of it.
    ///
    /// # Errors
    /// A text that is not sound.
    pub fn hash_for(&self, upstream: &str) -> Result<[u8; 32], RulesError> {
        let all = self.parse()?;
        let mut hash = Sha256::new();
        let mut add = |text: &str| {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text);
        };
        add(ENGINE);
        add(&format!("{:?}", (&all.log_calls, &all.log_blocks, &all.error_calls, &all.aside)));
        for Written { class, rule, .. } in &all.rules {
            if rule.upstreams.is_empty() || rule.upstreams.iter().any(|name| name == upstream) {
                let class = rule.class.as_ref().or(class.as_ref());
                add(&format!("{:?}", (&rule.id, class, rule.covers, &rule.when, &rule.unless)));
            }
        }
        Ok(hash.finalize().into())
    }

    /// The hash of everything that decides a label besides the commit: as
    /// [`Rules::hash`] of the compiled rules.
    pub fn hash(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(ENGINE);
        for RuleText { text, .. } in &self.texts {
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
        let parsed = self.parse()?;
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
            hash: self.hash(),
        })
    }
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
