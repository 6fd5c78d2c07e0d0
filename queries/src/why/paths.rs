//! What an upstream's files are to a running model, by path.

use globset::{Glob, GlobSet, GlobSetBuilder};
use headwater_store::upstream::Upstream;
use regex::Regex;

use crate::QueryError;

/// An upstream's path rules, compiled.
pub(super) struct PathRules {
    quiet: GlobSet,
    families: Vec<(Regex, Option<String>, Vec<String>, String)>,
}

/// A model family that a file holds code for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileFamily {
    /// The family, as the path spells it.
    pub(super) family: String,
    /// What the code does with its models.
    pub(super) role: String,
}

impl PathRules {
    pub(super) fn new(upstream: &Upstream) -> Result<Self, QueryError> {
        let families = upstream
            .family_paths
            .iter()
            .map(|rule| {
                let regex =
                    Regex::new(&rule.path).map_err(|e| QueryError::Pattern(e.to_string()))?;
                Ok((regex, rule.family.clone(), rule.except.clone(), rule.role.clone()))
            })
            .collect::<Result<_, QueryError>>()?;
        Ok(PathRules { quiet: globs(&upstream.quiet)?, families })
    }

    /// Whether no running program reads the file.
    pub(super) fn is_quiet(&self, path: &str) -> bool {
        self.quiet.is_match(path)
    }

    /// The one family that the file is for.
    pub(super) fn family(&self, path: &str) -> Option<FileFamily> {
        self.families.iter().find_map(|(regex, fixed, except, role)| {
            let found = regex.captures(path)?;
            let family = match (fixed, found.name("family")) {
                (Some(fixed), _) => fixed.clone(),
                (None, Some(name)) => name.as_str().to_owned(),
                (None, None) => return None,
            };
            let usable = !except.contains(&family);
            usable.then(|| FileFamily { family, role: role.clone() })
        })
    }

    /// Whether the file stands among those of families without being one's own: a
    /// registry in which each family has a line.
    pub(super) fn is_shared_among_families(&self, path: &str) -> bool {
        self.family(path).is_none() && self.families.iter().any(|(regex, ..)| regex.is_match(path))
    }
}

/// Compiles globs in which `*` stays within a directory.
pub(super) fn globs(patterns: &[String]) -> Result<GlobSet, QueryError> {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = globset::GlobBuilder::new(pattern)
            .literal_separator(true)
            .build()
            .or_else(|_| Glob::new(pattern))
            .map_err(|e| QueryError::Pattern(e.to_string()))?;
        builder.add(glob);
    }
    builder.build().map_err(|e| QueryError::Pattern(e.to_string()))
}
