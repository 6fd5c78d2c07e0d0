//! Extractors as data: which files hold defaults, in which language, and what in
//! them holds one.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use globset::{Glob, GlobSet, GlobSetBuilder};
use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use super::entry::Scope;
use super::kept::Kept;
use super::options::OptionRule;

/// Why a rule file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ExtractorError {
    /// It is not TOML, or not of this shape.
    #[error("{file}: {source}")]
    Toml {
        /// The file.
        file: String,
        /// What the parser says.
        source: Box<toml::de::Error>,
    },
    /// A pattern in it does not compile.
    #[error("{file}: extractor {extractor}: {what}")]
    Pattern {
        /// The file.
        file: String,
        /// The extractor's id.
        extractor: String,
        /// What is wrong.
        what: String,
    },
    /// Two extractors have one id.
    #[error("{file}: the extractor id {id} is taken")]
    Twice {
        /// The file.
        file: String,
        /// The id.
        id: String,
    },
    /// A file of the user's could not be read.
    #[error("{file}: {source}")]
    Io {
        /// The file or folder.
        file: String,
        /// Why.
        source: std::io::Error,
    },
}

/// A pattern that a TOML file spells as a string.
#[derive(Debug, Clone)]
pub(crate) struct Pattern(pub Regex);

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        // Unicode's tables make a pattern some hundred times dearer to compile, and knobs
        // are written in ASCII; a pattern that could cut a character needs them still.
        RegexBuilder::new(&text)
            .unicode(false)
            .build()
            .or_else(|_| Regex::new(&text))
            .map(Pattern)
            .map_err(serde::de::Error::custom)
    }
}

/// What in a file holds defaults.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Holder {
    /// C++: the member initialisers of structs.
    Struct { name: Pattern },
    /// C and C++: what a function puts into the struct that it returns.
    Returned { function: Pattern, owner: String },
    /// C++: the initialiser of a variable.
    Variable { name: Pattern, owner: String },
    /// C and C++: `(default: …)` in the texts of a program's help.
    Help {},
    /// C++: calls that read a field of a request, with the value for where it is unset.
    Request { call: Pattern, subject: Pattern, owner: String },
    /// C, C++ and Go: named constants and variables.
    Constants { name: Pattern },
    /// C++: what is unset gets a value under a condition.
    Resolved { variable: Pattern },
    /// C++: one program's own value in a parser that many share.
    Override { condition: Pattern, variable: Pattern, owner: String },
    /// Go: the composite literal that a function returns, over the struct's tags.
    Options { function: Pattern },
    /// Go: environment variables and what they default to.
    Env { call: Pattern },
    /// Go: flags of a program.
    Flags { call: Pattern },
    /// Go: flags that are passed to another program, with their conditions.
    Args { function: Pattern },
    /// Go: a rule, told as the conditions and results of a function.
    Rule { function: Pattern },
    /// Go: what gets assigned under conditions; `except` finds values that are none.
    Assigned {
        function: Pattern,
        variable: Pattern,
        #[serde(default)]
        except: Option<Pattern>,
    },
    /// CMake: options, and variables of these names.
    Cmake { names: Pattern },
    /// A container file: arguments, base images, environment, versions of packages.
    Image { environment: Pattern, packages: Pattern },
    /// CMake presets: cache variables.
    Presets {},
    /// Any text: lines with a `value` (and perhaps a `knob`) group.
    Lines {
        pattern: Pattern,
        knob: Option<String>,
        #[serde(default)]
        separator: Option<String>,
    },
    /// Markdown: tables with a row a knob.
    Table { default: Pattern },
}

/// How a user gets an old value back.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Restore {
    /// Who does it: the program that is told.
    pub consumer: String,
    /// The text to write, with `{knob}`, `{field}`, `{flag}`, `{env}` and `{old}`.
    pub text: String,
    /// The engine of the consumer's that hears it: a version that does not run it does not.
    #[serde(default)]
    pub through: Option<String>,
    /// Only for knobs that match.
    #[serde(default)]
    pub knobs: Option<Pattern>,
    /// Not for knobs that match.
    #[serde(default)]
    pub except: Option<Pattern>,
    /// Only for old values that match: a switch that is told to be off.
    #[serde(default)]
    pub old: Option<Pattern>,
    /// Not for moves, written `KNOB: OLD -> NEW`, that match: where the old value means
    /// something else by now.
    #[serde(default)]
    pub not_back: Option<Pattern>,
}

/// One extractor.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Extractor {
    pub id: String,
    /// The upstreams it is for; any where empty.
    #[serde(default)]
    pub upstreams: Vec<String>,
    pub paths: Vec<String>,
    #[serde(default)]
    pub not: Vec<String>,
    pub scope: Scope,
    /// Extractors of one group hold the same knobs: a knob may move between them.
    #[serde(default)]
    pub group: Option<String>,
    /// Scopes of some of its knobs.
    #[serde(default)]
    pub scopes: Vec<KnobScope>,
    /// Files whose knobs these ones override: what stands there holds where these are not.
    #[serde(default)]
    pub over: Vec<String>,
    /// Files whose requests read the fields of these knobs, and may say themselves what an
    /// unset one is.
    #[serde(default)]
    pub read_by: Vec<String>,
    /// Files where what is unset gets a value: a default that says so is that value.
    #[serde(default)]
    pub resolved_by: Vec<String>,
    /// Its files are separate things: what one loses, another does not stand in for.
    #[serde(default)]
    pub apart: bool,
    /// A file that moves becomes another one's: its knobs are those of its path alone.
    #[serde(default)]
    pub by_path: bool,
    /// Its files are copies of one page: what one lacks, another says.
    #[serde(default)]
    pub copies: bool,
    /// A group whose knobs these ones may be computed from, by a call of their names.
    #[serde(default)]
    pub follows: Option<String>,
    /// Old owners of fields, and what they are called today.
    #[serde(default)]
    pub owners: std::collections::BTreeMap<String, Vec<String>>,
    /// Old knobs, and what they are called today.
    #[serde(default)]
    pub renamed: std::collections::BTreeMap<String, Vec<String>>,
    /// Values of equal meaning.
    #[serde(default)]
    pub equal: Vec<Vec<String>>,
    /// Values of equal meaning for some knobs.
    #[serde(default)]
    pub same: Vec<KnobSame>,
    /// Spellings of one thing inside values: a pattern, and what it is in today's spelling.
    #[serde(default)]
    pub spelled: Vec<(Pattern, String)>,
    /// Knobs that are no defaults.
    #[serde(default)]
    pub ignore: Option<Pattern>,
    #[serde(default)]
    pub restore: Vec<Restore>,
    /// What in its files holds defaults, read when a file is: most questions read none, and
    /// the patterns of all cost them a fifth of their time.
    pub holds: Vec<toml::Value>,
    /// Snippets by us that must and must not give events.
    #[serde(default)]
    pub examples: Vec<Example>,
}

/// The scope of an extractor's knobs that match.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnobScope {
    pub knob: Pattern,
    pub scope: Scope,
}

/// Values that mean the same for knobs that match.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnobSame {
    pub knob: Pattern,
    pub values: Vec<String>,
}

/// A file before and after, and what the ledger must say of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Example {
    /// What it shows.
    pub shows: String,
    pub before: String,
    pub after: String,
    /// `knob old -> new`, one an event; none where it must be silent.
    #[serde(default)]
    pub events: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFile {
    #[serde(default)]
    extractor: Vec<Extractor>,
    #[serde(default)]
    resolves: Vec<super::resolve::Resolve>,
    #[serde(default)]
    options: Vec<OptionRule>,
}

/// What of a file is read late, to be told of before.
#[derive(Debug, Deserialize)]
struct Late {
    #[serde(rename = "extractor", default)]
    _extractors: Vec<LateHolds>,
}

#[derive(Debug, Deserialize)]
struct LateHolds {
    #[serde(rename = "holds")]
    _holds: Vec<Holder>,
}

/// One extractor; what reads files is compiled when one is read.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub rule: Extractor,
    /// The file that it stands in.
    pub file: String,
    holds: OnceLock<Vec<Holder>>,
    globs: OnceLock<(GlobSet, GlobSet)>,
}

impl Compiled {
    /// What in its files holds defaults.
    pub(crate) fn holds(&self) -> &[Holder] {
        self.holds.get_or_init(|| {
            let all = self.rule.holds.iter().cloned();
            all.map(Holder::deserialize).collect::<Result<_, _>>().unwrap_or_default()
        })
    }

    /// Whether it reads a path.
    fn reads(&self, path: &str) -> bool {
        let globs = self.globs.get_or_init(|| {
            let both = || Ok::<_, globset::Error>((set(&self.rule.paths)?, set(&self.rule.not)?));
            both().unwrap_or_default()
        });
        globs.0.is_match(path) && !globs.1.is_match(path)
    }
}

fn set(patterns: &[String]) -> Result<GlobSet, globset::Error> {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        builder.add(Glob::new(pattern)?);
    }
    builder.build()
}

/// The rule files that are part of the program.
const BUILT_IN: &[(&str, &str)] = &[
    ("ollama.toml", include_str!("../../rules/defaults/ollama.toml")),
    ("llama.cpp.toml", include_str!("../../rules/defaults/llama.cpp.toml")),
    ("build.toml", include_str!("../../rules/defaults/build.toml")),
    ("docs.toml", include_str!("../../rules/defaults/docs.toml")),
    ("resolves.toml", include_str!("../../rules/defaults/resolves.toml")),
];

/// All extractors in use. Those who have copies share what was read with them.
#[derive(Debug, Default, Clone)]
pub struct Extractors {
    pub(crate) all: Vec<Arc<Compiled>>,
    pub(crate) resolves: Vec<super::resolve::Resolve>,
    /// Where parsers declare their options.
    pub(crate) options: Vec<OptionRule>,
    texts: Vec<String>,
    /// What was read with them.
    pub(crate) kept: Arc<Kept>,
    /// How many of them are part of the program: they come first.
    built_in: usize,
}

impl Extractors {
    /// The extractors that are part of the program.
    pub fn built_in() -> Result<Self, ExtractorError> {
        let mut out = Extractors::default();
        // What is compiled late is checked by the tests.
        for (file, text) in BUILT_IN {
            out.take(file, text)?;
        }
        out.built_in = out.all.len();
        Ok(out)
    }

    /// The built-in extractors, and those of the TOML files in a folder of the user's.
    pub fn with_folder(folder: &Path) -> Result<Self, ExtractorError> {
        let mut out = Self::built_in()?;
        let io = |source| ExtractorError::Io { file: folder.display().to_string(), source };
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(io)? {
            let path = entry.map_err(io)?.path();
            if path.extension().is_some_and(|e| e == "toml") {
                files.push(path);
            }
        }
        files.sort();
        for path in files {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(&path)
                .map_err(|source| ExtractorError::Io { file: name.clone(), source })?;
            out.add(&name, &text)?;
        }
        Ok(out)
    }

    /// Adds one file's extractors.
    pub fn add(&mut self, file: &str, text: &str) -> Result<(), ExtractorError> {
        let (at, options) = (self.all.len(), self.options.len());
        self.take(file, text)?;
        toml::from_str::<Late>(text).map_err(|source| toml_error(file, source))?;
        for rule in self.options.iter().skip(options) {
            rule.check().map_err(|what| ExtractorError::Pattern {
                file: file.to_owned(),
                extractor: format!("options of {}", rule.upstream),
                what,
            })?;
        }
        for rule in self.all.iter().skip(at).map(|c| &c.rule) {
            set(&rule.paths).and_then(|_| set(&rule.not)).map_err(|error| {
                ExtractorError::Pattern {
                    file: file.to_owned(),
                    extractor: rule.id.clone(),
                    what: error.to_string(),
                }
            })?;
        }
        Ok(())
    }

    /// Adds one file's extractors, of which what is compiled late is right.
    fn take(&mut self, file: &str, text: &str) -> Result<(), ExtractorError> {
        let parsed: RuleFile = toml::from_str(text).map_err(|source| toml_error(file, source))?;
        for rule in parsed.extractor {
            if self.all.iter().any(|c| c.rule.id == rule.id) {
                return Err(ExtractorError::Twice { file: file.to_owned(), id: rule.id });
            }
            let (holds, globs) = (OnceLock::new(), OnceLock::new());
            self.all.push(Arc::new(Compiled { rule, file: file.to_owned(), holds, globs }));
        }
        self.resolves.extend(parsed.resolves);
        self.options.extend(parsed.options);
        self.kept = Arc::default();
        self.texts.push(text.to_owned());
        Ok(())
    }

    /// How many extractors there are.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// The user's own: of each its id, its file, and the upstreams that it names.
    pub fn own(&self) -> impl Iterator<Item = (&str, &str, &[String])> {
        let own = self.all.iter().skip(self.built_in);
        own.map(|one| (one.rule.id.as_str(), one.file.as_str(), one.rule.upstreams.as_slice()))
    }

    /// The indexes of the extractors that read a path of an upstream.
    pub(crate) fn reading(&self, upstream: &str, path: &str) -> Vec<usize> {
        let mut out = Vec::new();
        for (n, c) in self.all.iter().enumerate() {
            let ups = &c.rule.upstreams;
            if (ups.is_empty() || ups.iter().any(|u| u == upstream)) && c.reads(path) {
                out.push(n);
            }
        }
        out
    }

    /// The ids and scopes of the extractors that read a path of an upstream.
    pub(crate) fn readers(&self, upstream: &str, path: &str) -> Vec<(&str, Scope)> {
        let reading = self.reading(upstream, path);
        let all = reading.into_iter().filter_map(|at| self.all.get(at));
        all.map(|c| (c.rule.id.as_str(), c.rule.scope)).collect()
    }

    /// The id of the extractor that found an entry.
    pub(crate) fn id_of(&self, entry: &super::Entry) -> Option<&str> {
        self.all.get(entry.extractor).map(|c| c.rule.id.as_str())
    }

    /// Whether any extractor reads a path of an upstream.
    pub fn reads(&self, upstream: &str, path: &str) -> bool {
        !self.reading(upstream, path).is_empty()
    }

    /// What the ledger reads of an upstream: each extractor's id, scope and paths.
    pub fn coverage(&self, upstream: &str) -> Vec<(&str, Scope, &[String])> {
        let covers = |c: &&Arc<Compiled>| {
            c.rule.upstreams.is_empty() || c.rule.upstreams.iter().any(|u| u == upstream)
        };
        let all = self.all.iter().filter(covers);
        all.map(|c| (c.rule.id.as_str(), c.rule.scope, c.rule.paths.as_slice())).collect()
    }

    /// A hash of the rules and of what reads them: derived rows are keyed by it.
    pub fn hash(&self) -> String {
        use sha2::{Digest, Sha256};
        let mut hash = Sha256::new();
        hash.update(super::ENGINE_VERSION.to_le_bytes());
        for text in &self.texts {
            hash.update(text.len().to_le_bytes());
            hash.update(text.as_bytes());
        }
        hash.finalize().iter().map(|b| format!("{b:02x}")).collect()
    }
}

fn toml_error(file: &str, source: toml::de::Error) -> ExtractorError {
    ExtractorError::Toml { file: file.to_owned(), source: Box::new(source) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compiled_late_is_right() {
        for (file, text) in BUILT_IN {
            let mut checked = Extractors::default();
            checked.add(file, text).unwrap();
            for compiled in &checked.all {
                assert_eq!(compiled.holds().len(), compiled.rule.holds.len(), "{file}");
            }
        }
    }

    #[test]
    fn what_is_compiled_late_is_told_of_at_once() {
        let file = |path: &str, pattern: &str| {
            format!(
                "[[extractor]]\nid = \"a\"\npaths = [\"{path}\"]\nscope = \"env\"\n[[extractor.holds]]\nkind = \"struct\"\nname = \"{pattern}\"\n"
            )
        };
        let add = |text: &str| Extractors::built_in().unwrap().add("mine.toml", text);
        add(&file("a/*.h", "^b$")).unwrap();
        let wrong = add(&file("a/*.h", "(b")).unwrap_err().to_string();
        assert!(wrong.contains("mine.toml"), "{wrong}");
        let wrong = add(&file("a/[", "^b$")).unwrap_err().to_string();
        assert!(wrong.contains("extractor a"), "{wrong}");
    }
}
