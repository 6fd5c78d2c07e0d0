//! Rules made ready to run: all globs in one set, each line pattern once.

use std::collections::HashMap;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use regex::bytes::{Regex, RegexBuilder};

use super::neutral::Neutral;
use super::source::{Clause, RuleSource};

/// What is wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("rule {rule}: {what}")]
pub struct BadRule {
    /// Its id, or the file where it has none.
    pub rule: String,
    /// What is wrong, and what to do.
    pub what: String,
}

/// The number of a pattern in [`Tables::patterns`].
pub(super) type PatternId = usize;

/// Everything that clauses refer to by number.
pub(super) struct Tables {
    pub(super) globs: GlobSet,
    pub(super) glob_count: usize,
    /// The line patterns: searched in the changed text of a file as a whole when a clause
    /// first asks for one there, then in its lines. One by one, since each then starts from
    /// the literals that it needs; a set of all of them knows no such shortcut.
    pub(super) patterns: Vec<Regex>,
}

/// A rule made ready.
pub(super) struct Rule {
    pub(super) id: String,
    pub(super) class: String,
    pub(super) description: String,
    pub(super) upstreams: Vec<String>,
    pub(super) covers: bool,
    pub(super) when: Vec<Ready>,
    pub(super) unless: Vec<Ready>,
}

impl Rule {
    /// Whether it is for commits of this upstream.
    pub(super) fn is_for(&self, upstream: &str) -> bool {
        self.upstreams.is_empty() || self.upstreams.iter().any(|name| name == upstream)
    }
}

/// A clause made ready.
#[derive(Default, Clone)]
pub(super) struct Ready {
    pub(super) files: Option<Vec<usize>>,
    pub(super) not_files: Vec<usize>,
    pub(super) status: Vec<char>,
    pub(super) line: Option<PatternId>,
    pub(super) added: Option<PatternId>,
    pub(super) removed: Option<PatternId>,
    pub(super) section: Option<Regex>,
    pub(super) near: Option<Regex>,
    pub(super) every_line: Option<Regex>,
    pub(super) only: Vec<Neutral>,
    pub(super) comments: bool,
    pub(super) differs: bool,
    pub(super) existing: bool,
    pub(super) at_least: u32,
    pub(super) share: f64,
    pub(super) subject: Option<Regex>,
    pub(super) message: Option<Regex>,
    pub(super) fact: Option<String>,
    pub(super) fact_detail: Option<Regex>,
    pub(super) not_fact_detail: Option<Regex>,
    pub(super) also: Vec<Ready>,
    pub(super) reads_diff: bool,
}

/// Gathers globs and patterns while rules are read.
#[derive(Default)]
pub(super) struct Compiler {
    globs: Vec<String>,
    glob_ids: HashMap<String, usize>,
    patterns: Vec<Regex>,
    pattern_ids: HashMap<String, usize>,
}

/// A set of globs in which `*` stays within one part of a path.
pub(super) fn glob_set(globs: &[String]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        let glob = GlobBuilder::new(glob).literal_separator(true).build();
        set.add(glob.map_err(|error| error.to_string())?);
    }
    set.build().map_err(|error| error.to_string())
}

fn regex(pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(pattern).unicode(false).build().map_err(|error| error.to_string())
}

impl Compiler {
    pub(super) fn rule(
        &mut self,
        file_class: Option<&str>,
        rule: &RuleSource,
    ) -> Result<Rule, BadRule> {
        let bad = |what: String| BadRule { rule: rule.id.clone(), what };
        let class = rule
            .class
            .as_deref()
            .or(file_class)
            .ok_or_else(|| bad("no class: give one to the rule or to its file".into()))?;
        if rule.id.trim().is_empty() || rule.description.trim().is_empty() {
            return Err(bad("an id and a description are needed".into()));
        }
        if rule.when.is_empty() {
            return Err(bad("no [[rules.when]]: it could never fire".into()));
        }
        for clause in &rule.when {
            if !clause.reads_diff() {
                return Err(bad(
                    "a clause that reads the message alone: subjects lie, ask for something in \
                     the diff too"
                        .into(),
                ));
            }
            if (clause.every_line.is_some() || !clause.only.is_empty()) && !rule.covers {
                return Err(bad("'every_line' and 'only' are for rules with covers = true".into()));
            }
        }
        let mut ready = |clauses: &[Clause]| -> Result<Vec<Ready>, String> {
            clauses.iter().map(|clause| self.clause(clause)).collect()
        };
        Ok(Rule {
            when: ready(&rule.when).map_err(bad)?,
            unless: ready(&rule.unless).map_err(bad)?,
            id: rule.id.clone(),
            class: class.to_owned(),
            description: rule.description.trim().to_owned(),
            upstreams: rule.upstreams.clone(),
            covers: rule.covers,
        })
    }

    fn clause(&mut self, clause: &Clause) -> Result<Ready, String> {
        let one = |pattern: &Option<String>| pattern.as_deref().map(regex).transpose();
        Ok(Ready {
            files: (!clause.files.is_empty())
                .then(|| clause.files.iter().map(|glob| self.glob(glob)).collect())
                .transpose()?,
            not_files: clause
                .not_files
                .iter()
                .map(|glob| self.glob(glob))
                .collect::<Result<_, _>>()?,
            status: clause.status.clone(),
            line: self.pattern(clause.line.as_deref())?,
            added: self.pattern(clause.added.as_deref())?,
            removed: self.pattern(clause.removed.as_deref())?,
            section: one(&clause.section)?,
            near: one(&clause.near)?,
            every_line: one(&clause.every_line)?,
            only: clause.only.iter().map(|word| neutral(word)).collect::<Result<_, _>>()?,
            comments: clause.comments,
            differs: clause.differs,
            existing: clause.existing,
            at_least: clause.at_least.unwrap_or(1),
            share: clause.share.unwrap_or(0.0),
            subject: one(&clause.subject)?,
            message: one(&clause.message)?,
            fact: clause.fact.clone(),
            fact_detail: one(&clause.fact_detail)?,
            not_fact_detail: one(&clause.not_fact_detail)?,
            also: clause.also.iter().map(|clause| self.clause(clause)).collect::<Result<_, _>>()?,
            reads_diff: clause.reads_diff(),
        })
    }

    fn glob(&mut self, glob: &str) -> Result<usize, String> {
        if let Some(&id) = self.glob_ids.get(glob) {
            return Ok(id);
        }
        GlobBuilder::new(glob)
            .literal_separator(true)
            .build()
            .map_err(|error| error.to_string())?;
        let id = self.globs.len();
        self.globs.push(glob.to_owned());
        self.glob_ids.insert(glob.to_owned(), id);
        Ok(id)
    }

    fn pattern(&mut self, pattern: Option<&str>) -> Result<Option<PatternId>, String> {
        let Some(pattern) = pattern else { return Ok(None) };
        if let Some(&id) = self.pattern_ids.get(pattern) {
            return Ok(Some(id));
        }
        let regex = RegexBuilder::new(pattern).unicode(false).multi_line(true).build();
        let id = self.patterns.len();
        self.patterns.push(regex.map_err(|error| error.to_string())?);
        self.pattern_ids.insert(pattern.to_owned(), id);
        Ok(Some(id))
    }

    pub(super) fn finish(self) -> Result<Tables, String> {
        Ok(Tables {
            glob_count: self.globs.len(),
            globs: glob_set(&self.globs)?,
            patterns: self.patterns,
        })
    }
}

fn neutral(word: &str) -> Result<Neutral, String> {
    let kinds = [
        Neutral::Comments,
        Neutral::Logging,
        Neutral::Layout,
        Neutral::Names,
        Neutral::Moves,
        Neutral::Declarations,
    ];
    kinds
        .into_iter()
        .find(|kind| kind.word() == word)
        .ok_or_else(|| format!("'only' knows {}, not {word:?}", Neutral::WORDS.join(", ")))
}
