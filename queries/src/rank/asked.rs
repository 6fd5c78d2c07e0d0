//! What a question asks for by its phase and its kind. Data: `rules/rank/asked.toml`.

use regex::bytes::Regex;
use serde::Deserialize;

use super::RulesError;
use super::facets::Facets;
use super::pattern::compile;

const ASKED: &str = include_str!("../../rules/rank/asked.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    phase: Vec<Entry>,
    kind: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    #[serde(default)]
    concepts: Vec<String>,
    #[serde(default)]
    areas: Vec<String>,
    #[serde(default)]
    live: Vec<String>,
    rules_out: Option<String>,
    #[serde(default)]
    why: String,
    #[serde(default)]
    #[cfg_attr(not(test), allow(dead_code))]
    must: Vec<String>,
    #[serde(default)]
    #[cfg_attr(not(test), allow(dead_code))]
    must_not: Vec<String>,
}

/// What one phase or kind asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Concepts, by name.
    pub(super) concepts: Vec<String>,
    /// Parts of the program, as bits.
    pub(super) areas: u32,
    /// Kinds of files that are inert but for this, as bits.
    pub(super) live: u32,
}

/// What phases and kinds ask for.
pub(super) struct AskedFor {
    file: File,
}

impl AskedFor {
    pub(super) fn shipped() -> Result<Self, RulesError> {
        Ok(AskedFor { file: toml::from_str(ASKED)? })
    }

    /// What a phase asks for; nothing where it is not in the file.
    pub(super) fn by_phase(&self, name: &str, facets: &Facets) -> Wanted {
        wanted(&self.file.phase, name, facets)
    }

    /// What a kind asks for.
    pub(super) fn by_kind(&self, name: &str, facets: &Facets) -> Wanted {
        wanted(&self.file.kind, name, facets)
    }
}

fn wanted(entries: &[Entry], name: &str, facets: &Facets) -> Wanted {
    let Some(entry) = entries.iter().find(|entry| entry.name == name) else {
        return Wanted::default();
    };
    let bits = |wanted: &[String], names: &mut dyn Iterator<Item = &str>| {
        let set =
            names.enumerate().filter(|(at, name)| *at < 32 && wanted.iter().any(|w| w == name));
        set.fold(0, |bits, (at, _)| bits | 1 << at)
    };
    Wanted {
        concepts: entry.concepts.clone(),
        areas: bits(&entry.areas, &mut facets.areas.iter().map(|area| area.name.as_str())),
        live: bits(&entry.live, &mut facets.inert.iter().map(|inert| inert.name.as_str())),
    }
}

/// The files that cannot be met in a phase.
#[derive(Debug)]
pub struct PhasePaths {
    /// The phase.
    pub name: String,
    /// What such files do instead.
    pub why: String,
    paths: Regex,
}

impl PhasePaths {
    /// Of the phase of this name; `None` where it rules nothing out.
    ///
    /// # Errors
    /// Where the shipped file is not valid.
    pub fn of(phase: &str) -> Result<Option<Self>, RulesError> {
        let file: File = toml::from_str(ASKED)?;
        let Some(entry) = file.phase.into_iter().find(|entry| entry.name == phase) else {
            return Ok(None);
        };
        let Some(paths) = entry.rules_out else { return Ok(None) };
        Ok(Some(PhasePaths { name: entry.name, why: entry.why, paths: compile(&paths)? }))
    }

    /// Whether the file cannot be met in the phase.
    pub fn rules_out(&self, path: &str) -> bool {
        self.paths.is_match(path.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::Concepts;

    #[test]
    fn every_name_is_known_and_every_path_is_guarded() {
        let file: File = toml::from_str(ASKED).unwrap();
        let facets = Facets::shipped().unwrap();
        let concepts = Concepts::shipped(&mut facets.tokenizer()).unwrap();
        for entry in file.phase.iter().chain(&file.kind) {
            for name in &entry.concepts {
                assert!(concepts.named(name).is_some(), "{}: {name}", entry.name);
            }
            for name in &entry.areas {
                assert!(facets.areas.iter().any(|area| area.name == *name), "{name}");
            }
            for name in &entry.live {
                assert!(facets.inert.iter().any(|inert| inert.name == *name), "{name}");
            }
        }
        for entry in &file.phase {
            let paths = PhasePaths::of(&entry.name).unwrap().unwrap();
            assert!(!paths.why.is_empty() && !entry.must.is_empty());
            for path in &entry.must {
                assert!(paths.rules_out(path), "{} must rule out {path}", entry.name);
            }
            for path in &entry.must_not {
                assert!(!paths.rules_out(path), "{} must not rule out {path}", entry.name);
            }
        }
        assert!(PhasePaths::of("no such phase").unwrap().is_none());
    }

    #[test]
    fn a_kind_asks_for_parts_and_concepts() {
        let facets = Facets::shipped().unwrap();
        let asked = AskedFor::shipped().unwrap();
        let memory = asked.by_kind("memory", &facets);
        assert_eq!(facets.area_names(memory.areas), ["scheduling and memory"]);
        assert_eq!(asked.by_phase("decode", &facets).concepts, ["token generation"]);
        assert_ne!(asked.by_kind("build", &facets).live, 0);
        assert_eq!(asked.by_kind("other", &facets), Wanted::default());
    }
}
