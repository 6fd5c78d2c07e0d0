//! What files and tools are to each other: `rules/rig.toml`.

use headwater_store::upstream::Upstream;
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::QueryError;

const FILE: &str = include_str!("../../../rules/rig.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    server: String,
    engine: String,
    backend: Vec<Backend>,
    #[cfg_attr(not(test), allow(dead_code))]
    stems: Vec<Stems>,
    toolkit: Vec<ToolkitFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Backend {
    name: String,
    calls: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(not(test), allow(dead_code))]
struct Stems {
    stem: String,
    files: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolkitFile {
    name: String,
    upstream: String,
    paths: Option<String>,
    knob: String,
    #[cfg_attr(not(test), allow(dead_code))]
    knobs: Vec<String>,
    #[cfg_attr(not(test), allow(dead_code))]
    others: Vec<String>,
}

/// What a library is to a rig.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// A backend that calls others.
    Backend,
    /// A library that a backend calls.
    Called,
    /// Anything else.
    Other,
}

/// Which knobs of an upstream's ledger name the toolkit that it builds with.
pub struct ToolkitRule {
    /// `CUDA`, `ROCm`.
    pub name: String,
    /// The upstream.
    pub upstream: String,
    paths: Option<Regex>,
    knob: Regex,
}

impl ToolkitRule {
    /// Whether a knob names this toolkit.
    pub fn is_named_by(&self, upstream: &Upstream, knob: &str, path: &str) -> bool {
        self.upstream == upstream.name
            && self.knob.is_match(knob)
            && self.paths.as_ref().is_none_or(|paths| paths.is_match(path))
    }
}

/// The rules.
pub struct RigRules {
    /// The upstream whose server a rig runs.
    pub server: String,
    /// The upstream of the engine under it.
    pub engine: String,
    backends: Vec<Backend>,
    /// Which knobs name toolkits.
    pub toolkits: Vec<ToolkitRule>,
}

impl RigRules {
    /// Those that ship with the binary.
    ///
    /// # Errors
    /// Never for a released binary; a test reads them.
    pub fn shipped() -> Result<Self, QueryError> {
        let bad = |why: String| QueryError::Rules { file: "rig.toml".to_owned(), why };
        let file: File = toml::from_str(FILE).map_err(|error| bad(error.to_string()))?;
        let regex = |text: &str| Regex::new(text).map_err(|error| bad(error.to_string()));
        let toolkits = file.toolkit.into_iter().map(|rule| {
            Ok(ToolkitRule {
                paths: rule.paths.as_deref().map(regex).transpose()?,
                knob: regex(&rule.knob)?,
                name: rule.name,
                upstream: rule.upstream,
            })
        });
        Ok(RigRules {
            toolkits: toolkits.collect::<Result<_, QueryError>>()?,
            server: file.server,
            engine: file.engine,
            backends: file.backend,
        })
    }

    /// What a library is.
    pub fn role(&self, place: &str) -> Role {
        let stem = stem(place);
        match () {
            () if self.backends.iter().any(|backend| backend.name == stem) => Role::Backend,
            () if self.backends.iter().any(|backend| backend.calls.contains(&stem)) => Role::Called,
            () => Role::Other,
        }
    }

    /// Whether a backend calls a library.
    pub fn calls(&self, backend: &str, library: &str) -> bool {
        let (backend, library) = (stem(backend), stem(library));
        let mut of = self.backends.iter().filter(|known| known.name == backend);
        of.any(|known| known.calls.contains(&library))
    }
}

/// A library's name without what differs between platforms and versions: `libcublas.so.13`
/// and `cublas64_13.dll` are `cublas`.
pub fn stem(place: &str) -> String {
    let name = place.rsplit(['/', '\\']).next().unwrap_or(place).to_lowercase();
    let is_version = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let (name, unix) = match name.rfind(".so") {
        Some(at) if is_version(name.get(at + 3..).unwrap_or_default()) => {
            (name.get(..at).unwrap_or_default().to_owned(), true)
        }
        _ => match (name.strip_suffix(".dylib"), name.strip_suffix(".dll")) {
            (Some(name), _) => (name.to_owned(), true),
            (_, Some(name)) => (name.to_owned(), false),
            _ => (name, false),
        },
    };
    let name = if unix { name.strip_prefix("lib").unwrap_or(&name) } else { &name };
    // `libx.1.dylib`, `vulkan-1.dll`, `cublas64_13.dll`, `nvrtc64_130_0.dll`.
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '_');
    let digits = |rest: &str| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
    name.trim_end_matches('-')
        .rsplit_once('-')
        .filter(|(_, rest)| digits(rest))
        .map_or(name.trim_end_matches('-'), |(before, _)| before)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use headwater_store::upstream::Upstreams;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_shipped_rules_do_what_their_examples_say() {
        let file: File = toml::from_str(FILE).unwrap();
        for one in &file.stems {
            for name in &one.files {
                assert_eq!(stem(name), one.stem, "{name}");
            }
        }
        let rules = RigRules::shipped().unwrap();
        let upstreams = Upstreams::built_in().unwrap();
        for (rule, given) in rules.toolkits.iter().zip(&file.toolkit) {
            let path = ".devops/cuda.Dockerfile .devops/rocm.Dockerfile";
            let upstream = upstreams.get(&rule.upstream).unwrap();
            let named =
                |knob: &String| path.split(' ').any(|path| rule.is_named_by(upstream, knob, path));
            assert!(!given.knobs.is_empty() && given.knobs.iter().all(named), "{}", rule.name);
            assert!(!given.others.iter().any(named), "{} {}", rule.name, rule.upstream);
        }
        assert_eq!(rules.role("cuda_v13/libggml-cuda.so"), Role::Backend);
        assert_eq!(rules.role(r"cuda_v13\cublasLt64_13.dll"), Role::Called);
        assert_eq!(rules.role("libggml-base.so"), Role::Other);
        assert!(rules.calls("ggml-cuda.dll", "cublas64_13.dll"));
        assert!(!rules.calls("ggml-cuda.dll", "rocblas.dll"));
        for known in [&rules.server, &rules.engine] {
            assert!(upstreams.find(known).is_some(), "{known}");
        }
    }

    proptest! {
        #[test]
        fn no_name_makes_it_panic(name in "\\PC{0,40}") {
            let _ = stem(&name);
        }
    }
}
