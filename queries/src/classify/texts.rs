//! The texts of rule files: read, told apart into ours and the user's own, and hashed.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::built_in::FILES;
use super::compile::BadRule;
use super::rules::{Rules, RulesError};
use super::source::{RuleFile, RuleSource};

/// Raised when the engine itself judges otherwise than before: labels made by an older
/// one are made anew.
const ENGINE: &str = "classes/2";

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
pub(super) struct Written {
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) own: bool,
    pub(super) replaces: bool,
    pub(super) class: Option<String>,
    pub(super) rule: RuleSource,
}

/// The texts of rule files, in order: enough to know whether labels are still current,
/// without compiling thousands of patterns.
#[derive(Debug, Clone)]
pub struct RuleTexts {
    texts: Vec<RuleText>,
}

/// Rule files, read: the rules in force, and what all of them share.
pub(super) struct Parsed {
    pub(super) rules: Vec<Written>,
    pub(super) log_calls: Vec<String>,
    pub(super) log_blocks: Vec<String>,
    pub(super) error_calls: Vec<String>,
    pub(super) aside: Vec<String>,
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
        Rules::of(self.parse()?, self.hash())
    }
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
