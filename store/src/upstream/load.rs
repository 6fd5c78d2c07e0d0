//! Reading upstream files: the built-in ones and the user's own.

use std::path::{Path, PathBuf};

use super::Upstream;

const BUILT_IN: [(&str, &str); 2] = [
    ("ollama.toml", include_str!("../../../upstreams/ollama.toml")),
    ("llama.cpp.toml", include_str!("../../../upstreams/llama.cpp.toml")),
];

/// What can be wrong with an upstream's file.
#[derive(Debug, thiserror::Error)]
pub enum UpstreamError {
    /// It could not be read.
    #[error("cannot read the upstream file {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is no valid TOML, or not of the shape that docs/upstreams.md describes.
    #[error("the upstream file {path} is not valid: {source}")]
    Parse {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// One of its regular expressions or globs does not compile.
    #[error("the upstream {upstream} has an invalid pattern {pattern:?}: {why}")]
    Pattern {
        /// The upstream.
        upstream: String,
        /// The pattern.
        pattern: String,
        /// What the compiler said.
        why: String,
    },
    /// A name that headwater needs itself.
    #[error("the upstream file {path} may not be named {name}: that is reserved; choose another")]
    Reserved {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// No upstream of that name is declared.
    #[error(
        "there is no upstream {name:?}; declared are: {known}; a file declares another (docs/upstreams.md)"
    )]
    Unknown {
        /// The name asked for.
        name: String,
        /// The declared names.
        known: String,
    },
}

/// Every declared upstream.
#[derive(Debug, Clone)]
pub struct Upstreams {
    list: Vec<Upstream>,
}

impl Upstreams {
    /// The built-in upstreams alone.
    ///
    /// # Errors
    /// Never for a released binary; a test reads each built-in file.
    pub fn built_in() -> Result<Self, UpstreamError> {
        let mut all = Upstreams { list: Vec::new() };
        for (file, text) in BUILT_IN {
            all.add(parse(Path::new(file), text)?);
        }
        Ok(all)
    }

    /// The built-in upstreams, then every `*.toml` of `dir` in the order of the names:
    /// a file whose upstream has a known name takes the place of the former.
    ///
    /// # Errors
    /// A file that cannot be read or is not valid; a missing `dir` is none.
    pub fn with_dir(dir: &Path) -> Result<Self, UpstreamError> {
        let mut all = Self::built_in()?;
        let Ok(entries) = std::fs::read_dir(dir) else { return Ok(all) };
        let mut files: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|ext| ext == "toml"))
            .collect();
        files.sort();
        for path in files {
            let text = std::fs::read_to_string(&path)
                .map_err(|source| UpstreamError::Read { path: path.clone(), source })?;
            all.add(parse(&path, &text)?);
        }
        Ok(all)
    }

    /// Adds one, in the place of another of the same name.
    pub fn add(&mut self, upstream: Upstream) {
        match self.list.iter_mut().find(|known| known.name == upstream.name) {
            Some(known) => *known = upstream,
            None => self.list.push(upstream),
        }
    }

    /// The one of this name, alias or `owner/name`.
    ///
    /// # Errors
    /// [`UpstreamError::Unknown`] names those that exist.
    pub fn get(&self, name: &str) -> Result<&Upstream, UpstreamError> {
        self.find(name).ok_or_else(|| UpstreamError::Unknown {
            name: name.to_owned(),
            known: self.list.iter().map(|u| u.name.as_str()).collect::<Vec<_>>().join(", "),
        })
    }

    /// The one of this name, alias or `owner/name`, if it is declared.
    pub fn find(&self, name: &str) -> Option<&Upstream> {
        self.list.iter().find(|u| {
            u.name == name || u.repository == name || u.aliases.iter().any(|alias| alias == name)
        })
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Upstream> {
        self.list.iter()
    }
}

/// Parses one upstream's TOML; `path` is for the error's text.
pub(crate) fn parse(path: &Path, text: &str) -> Result<Upstream, UpstreamError> {
    let upstream: Upstream = toml::from_str(text).map_err(|source| UpstreamError::Parse {
        path: path.to_owned(),
        source: Box::new(source),
    })?;
    if upstream.name == crate::MODELS {
        return Err(UpstreamError::Reserved { path: path.to_owned(), name: upstream.name });
    }
    let regexes = std::iter::once(upstream.final_tag.as_str())
        .chain(upstream.noted_tag.as_deref())
        .chain(upstream.pins.iter().flat_map(|p| &p.homes).filter_map(|h| h.value.as_deref()))
        .chain(
            upstream.engines.iter().flat_map(|e| &e.present).filter_map(|f| f.contains.as_deref()),
        )
        .chain(upstream.engines.iter().flat_map(|e| &e.guards).map(|g| g.opens.as_str()))
        .chain(upstream.family_paths.iter().map(|f| f.path.as_str()));
    for pattern in regexes {
        regex::Regex::new(pattern).map_err(|e| invalid(&upstream, pattern, &e))?;
    }
    let globs = upstream
        .engines
        .iter()
        .flat_map(|e| e.paths.iter().chain(&e.shared).chain(e.guards.iter().flat_map(|g| &g.paths)))
        .chain(&upstream.quiet);
    for pattern in globs {
        globset::Glob::new(pattern).map_err(|e| invalid(&upstream, pattern, &e))?;
    }
    Ok(upstream)
}

fn invalid(upstream: &Upstream, pattern: &str, why: &dyn std::fmt::Display) -> UpstreamError {
    UpstreamError::Pattern {
        upstream: upstream.name.clone(),
        pattern: pattern.to_owned(),
        why: why.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_files_are_valid_and_found_by_every_name() {
        let all = Upstreams::built_in().unwrap();
        assert_eq!(all.get("ollama").unwrap().branch, "main");
        assert_eq!(all.get("ggerganov/llama.cpp").unwrap().name, "llama.cpp");
        assert_eq!(all.get("ggml-org/llama.cpp").unwrap().name, "llama.cpp");
        let error = all.get("olama").unwrap_err().to_string();
        assert!(error.contains("ollama, llama.cpp"), "{error}");
    }

    #[test]
    fn a_reserved_name_is_refused() {
        let text = "name='models'\nrepository='o/x'\nbranch='main'\nfinal_tag='^v'\n";
        let error = parse(Path::new("x.toml"), text).unwrap_err().to_string();
        assert!(error.contains("models") && error.contains("reserved"), "{error}");
    }

    #[test]
    fn an_invalid_pattern_is_told_with_its_upstream() {
        let text = "name='x'\nrepository='o/x'\nbranch='main'\nfinal_tag='('\n";
        let error = parse(Path::new("x.toml"), text).unwrap_err().to_string();
        assert!(error.contains("upstream x") && error.contains("\"(\""), "{error}");
    }
}
