//! What files are: whose backend, which area, shared core, or without effect on
//! what a server does. The maps are data.

use std::sync::{Arc, OnceLock};

use regex::bytes::{Regex, RegexSet};
use serde::Deserialize;

use super::RulesError;
use super::clauses::Clauses;
use super::concepts::Concepts;
use super::model_name::ModelNames;
use super::pattern::{QuestionSet, compile, compile_set, found};
use super::tokens::Tokenizer;

const BACKENDS: &str = include_str!("../../rules/rank/backends.toml");
const AREAS: &str = include_str!("../../rules/rank/areas.toml");
const WORDS: &str = include_str!("../../rules/rank/words.toml");

/// The maps that features are made with.
pub(super) const MAPS: [&str; 3] = [BACKENDS, AREAS, WORDS];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BackendsFile {
    backend: Vec<BackendRule>,
}

/// One backend: how its files, subjects and machines are recognised.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackendRule {
    /// Its name, as `--backend` takes it.
    pub name: String,
    /// Its files.
    pub path: String,
    /// What a subject says of it.
    pub subject: String,
    /// How a subject starts that is about it alone.
    pub head: String,
    /// Words of a report that tell this backend where none was given.
    #[serde(default)]
    pub hint: Option<String>,
    /// Backends whose code this one is built from.
    #[serde(default)]
    pub shares: Vec<String>,
    /// Words that name it.
    #[serde(default)]
    pub words: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AreasFile {
    core: String,
    area: Vec<AreaRule>,
    inert: Vec<InertRule>,
}

/// One area of a code base, and the words of a report that mean it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AreaRule {
    /// Its name in reasons.
    pub name: String,
    /// Words of a report that ask for it.
    pub asks: String,
    /// Its files.
    pub path: String,
    /// Reports that ask for it.
    pub must: Vec<String>,
    /// Reports that do not.
    pub must_not: Vec<String>,
}

/// Files that cannot change what a server does.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InertRule {
    /// Its name in reasons.
    pub name: String,
    /// The files.
    pub path: String,
    /// Reports in which these files do count.
    pub unless: String,
}

/// The bit of files in which nothing but comments, links and white space differs.
pub(super) const SILENT: u32 = 1 << 31;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WordsFile {
    stop: Vec<String>,
    less: Vec<String>,
}

/// What the files of one commit are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileFacets {
    /// How many there are.
    pub count: u32,
    /// Backends whose files are among them, as bits.
    pub backends: u32,
    /// Areas whose files are among them, as bits.
    pub areas: u32,
    /// How many belong to the shared core.
    pub core: u32,
    /// Kinds of inert files among them, as bits.
    pub inert: u32,
    /// How many are inert.
    pub inert_count: u32,
}

/// The maps, ready for questions.
#[derive(Debug)]
pub struct Facets {
    /// The backends, in the order of the bits.
    pub backends: Vec<BackendRule>,
    /// The areas, in the order of the bits.
    pub areas: Vec<AreaRule>,
    /// The kinds of inert files, in the order of the bits.
    pub inert: Vec<InertRule>,
    area_asks: QuestionSet,
    inert_unless: QuestionSet,
    core: String,
    stop: Vec<String>,
    less: Vec<String>,
    hints: OnceLock<Vec<(usize, Regex)>>,
    concepts: OnceLock<Arc<Concepts>>,
    clauses: OnceLock<Arc<Clauses>>,
    models: OnceLock<ModelNames>,
}

/// What the first question needs is compiled for it and kept for those that follow.
fn once<T>(
    kept: &OnceLock<T>,
    make: impl FnOnce() -> Result<T, RulesError>,
) -> Result<&T, RulesError> {
    if let Some(made) = kept.get() {
        return Ok(made);
    }
    let made = make()?;
    Ok(kept.get_or_init(|| made))
}

/// The maps of files and subjects, ready for commits.
#[derive(Debug)]
pub struct FileRules {
    backend_path: RegexSet,
    backend_subject: RegexSet,
    backend_head: RegexSet,
    area_path: RegexSet,
    inert_path: RegexSet,
    core: Regex,
}

fn bits(matches: &regex::bytes::SetMatches) -> u32 {
    bits_of(matches.iter())
}

fn bits_of(matches: impl IntoIterator<Item = usize>) -> u32 {
    matches.into_iter().filter(|at| *at < 32).fold(0, |bits, at| bits | 1 << at)
}

impl FileRules {
    /// The rules of these maps.
    ///
    /// # Errors
    /// Where a map holds an invalid pattern.
    pub fn new(facets: &Facets) -> Result<Self, RulesError> {
        let backends = &facets.backends;
        Ok(FileRules {
            backend_path: compile_set(backends.iter().map(|b| b.path.as_str()))?,
            backend_subject: compile_set(backends.iter().map(|b| b.subject.as_str()))?,
            backend_head: compile_set(backends.iter().map(|b| b.head.as_str()))?,
            area_path: compile_set(facets.areas.iter().map(|a| a.path.as_str()))?,
            inert_path: compile_set(facets.inert.iter().map(|i| i.path.as_str()))?,
            core: compile(&facets.core)?,
        })
    }

    /// What these files are; a silent one has nothing but comments, links and white space
    /// changed in it.
    pub fn files<'p>(&self, files: impl IntoIterator<Item = (&'p str, bool)>) -> FileFacets {
        let mut out = FileFacets::default();
        for (path, silent) in files {
            let path = path.as_bytes();
            out.count = out.count.saturating_add(1);
            let mut inert = bits(&self.inert_path.matches(path));
            if silent {
                inert |= SILENT;
            } else {
                out.backends |= bits(&self.backend_path.matches(path));
                out.areas |= bits(&self.area_path.matches(path));
                if self.core.is_match(path) {
                    out.core = out.core.saturating_add(1);
                }
            }
            if inert != 0 {
                out.inert |= inert;
                out.inert_count = out.inert_count.saturating_add(1);
            }
        }
        out
    }

    /// Whether no running program reads a file.
    pub fn is_inert(&self, path: &str) -> bool {
        self.inert_path.is_match(path.as_bytes())
    }

    /// The backends that a subject names, and the one it starts with.
    pub fn subject_backends(&self, subject: &str) -> (u32, u32) {
        let subject = subject.as_bytes();
        (bits(&self.backend_subject.matches(subject)), bits(&self.backend_head.matches(subject)))
    }
}

impl Facets {
    /// The maps that ship with the binary.
    ///
    /// # Errors
    /// Where a map is no valid TOML or holds an invalid pattern.
    pub fn shipped() -> Result<Self, RulesError> {
        let backends: BackendsFile = toml::from_str(BACKENDS)?;
        let areas: AreasFile = toml::from_str(AREAS)?;
        let words: WordsFile = toml::from_str(WORDS)?;
        Ok(Facets {
            area_asks: QuestionSet::new(areas.area.iter().map(|a| a.asks.as_str()))?,
            inert_unless: QuestionSet::new(areas.inert.iter().map(|i| i.unless.as_str()))?,
            core: areas.core,
            stop: words.stop,
            less: words.less,
            backends: backends.backend,
            areas: areas.area,
            inert: areas.inert,
            hints: OnceLock::new(),
            concepts: OnceLock::new(),
            clauses: OnceLock::new(),
            models: OnceLock::new(),
        })
    }

    /// The words that say nothing of what a text is about.
    pub fn stop_words(&self) -> impl Iterator<Item = &str> {
        self.stop.iter().map(String::as_str)
    }

    /// The words by which a subject says that there is less of a thing than before.
    pub fn less_words(&self) -> impl Iterator<Item = &str> {
        self.less.iter().map(String::as_str)
    }

    /// A tokenizer with the shipped stop words.
    pub fn tokenizer(&self) -> Tokenizer {
        Tokenizer::new(&self.stop)
    }

    /// The bit of a backend's name.
    pub fn backend_bit(&self, name: &str) -> Option<usize> {
        self.backends.iter().position(|b| b.name.eq_ignore_ascii_case(name))
    }

    /// The bits of a backend and of those whose code it is built from.
    pub fn wanted(&self, name: &str) -> u32 {
        let Some(at) = self.backend_bit(name) else { return 0 };
        self.backends
            .get(at)
            .into_iter()
            .flat_map(|b| &b.shares)
            .filter_map(|other| self.backend_bit(other))
            .fold(1 << at, |bits, at| bits | 1 << at)
    }

    /// The backends that a report's words tell, each with these words.
    ///
    /// # Errors
    /// Where the map holds an invalid pattern.
    pub fn hinted(&self, report: &str) -> Result<Vec<(&str, String)>, RulesError> {
        let hints = once(&self.hints, || {
            let hinted = self.backends.iter().enumerate();
            let hinted = hinted.filter_map(|(at, backend)| Some((at, backend.hint.as_ref()?)));
            hinted.map(|(at, hint)| Ok((at, compile(hint)?))).collect()
        })?;
        let told = hints.iter().filter_map(|(at, hint)| {
            Some((self.backends.get(*at)?.name.as_str(), found(hint, report)?))
        });
        Ok(told.collect())
    }

    /// The concepts that ship with the binary.
    pub(super) fn concepts(&self) -> Result<Arc<Concepts>, RulesError> {
        let make = || Ok(Arc::new(Concepts::shipped(&mut self.tokenizer())?));
        once(&self.concepts, make).map(Arc::clone)
    }

    /// The patterns that cut a symptom.
    pub(super) fn clauses(&self) -> Result<Arc<Clauses>, RulesError> {
        once(&self.clauses, || Ok(Arc::new(Clauses::shipped()?))).map(Arc::clone)
    }

    /// The reader of models' names.
    pub(crate) fn models(&self) -> Result<&ModelNames, RulesError> {
        once(&self.models, ModelNames::shipped)
    }

    /// The areas that a report asks for, as bits.
    pub fn asked_areas(&self, report: &str) -> u32 {
        bits_of(self.area_asks.matching(report))
    }

    /// The kinds of inert files that do count for a report, as bits.
    pub fn live_inert(&self, report: &str) -> u32 {
        bits_of(self.inert_unless.matching(report))
    }

    /// The names of the set bits among the areas.
    pub fn area_names(&self, set: u32) -> Vec<&str> {
        named(set, self.areas.iter().map(|a| a.name.as_str()))
    }

    /// The names of the set bits among the backends.
    pub fn backend_names(&self, set: u32) -> Vec<&str> {
        named(set, self.backends.iter().map(|b| b.name.as_str()))
    }

    /// The names of the set bits among the kinds of inert files.
    pub fn inert_names(&self, set: u32) -> Vec<&str> {
        let mut names = named(set & !SILENT, self.inert.iter().map(|i| i.name.as_str()));
        if set & SILENT != 0 {
            names.push("comments, links and white space");
        }
        names
    }
}

fn named<'a>(set: u32, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    names.enumerate().filter(|(at, _)| *at < 32 && set & 1 << at != 0).map(|(_, n)| n).collect()
}
