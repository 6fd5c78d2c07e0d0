//! What a search asks for.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use headwater_store::exact::{Pattern, PatternOptions};
use headwater_store::upstream::Upstream;

use crate::QueryError;
use crate::window::WindowSpec;

/// Which text is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Within {
    /// Added and removed lines.
    #[default]
    Changes,
    /// Added lines only.
    Added,
    /// Removed lines only.
    Removed,
    /// Commit messages.
    Message,
}

/// How much is told of each commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// The lines that match.
    #[default]
    Lines,
    /// The first line of each file that matches.
    Files,
    /// How many lines match.
    Count,
}

/// Which commits and files are searched.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Also commits that only tags reach.
    pub all: bool,
    /// Also merges, against their first parent.
    pub merges: bool,
    /// Only commits of this class.
    pub class: Option<String>,
    /// Only this window; its commits count whether or not the default branch has them.
    pub window: Option<WindowSpec>,
    /// Only files at these paths, before or after the change (globs; `*` passes over `/`,
    /// as in git's pathspecs).
    pub paths: Vec<String>,
    /// Only commits whose author matches this, as `Name <address>`.
    pub author: Option<String>,
    /// Only commits made at this time or later, in seconds since 1970.
    pub since: Option<i64>,
    /// Only commits made at this time or earlier.
    pub until: Option<i64>,
}

/// A search.
#[derive(Debug, Clone)]
pub struct GrepRequest<'a> {
    /// The patterns: a line that any of them matches is found.
    pub patterns: Vec<String>,
    /// How they are read.
    pub options: PatternOptions,
    /// The upstreams to search.
    pub upstreams: Vec<&'a Upstream>,
    /// Which of their commits and files.
    pub filter: Filter,
    /// Which text.
    pub within: Within,
    /// Files in which the number of matches changes, as `git log -S` finds them, rather
    /// than lines that changed.
    pub occurrences: bool,
    /// How many lines of a hunk to show around a match.
    pub context: usize,
    /// At most so many matching lines of a file in a commit.
    pub most: Option<usize>,
    /// What is told of each commit.
    pub detail: Detail,
    /// How many threads may be used.
    pub jobs: usize,
}

impl GrepRequest<'_> {
    /// The patterns, compiled.
    ///
    /// # Errors
    /// Where one is no regular expression.
    pub fn pattern(&self) -> Result<Pattern, QueryError> {
        Ok(Pattern::new(&self.patterns, self.options)?)
    }

    /// The globs for paths, compiled; `None` where every path counts.
    ///
    /// # Errors
    /// Where one is no glob.
    pub fn globs(&self) -> Result<Option<GlobSet>, QueryError> {
        self.filter.globs()
    }
}

impl Filter {
    pub(crate) fn globs(&self) -> Result<Option<GlobSet>, QueryError> {
        if self.paths.is_empty() {
            return Ok(None);
        }
        let mut set = GlobSetBuilder::new();
        for path in &self.paths {
            // A directory stands for what is in it, as in git.
            for glob in [path.clone(), format!("{}/**", path.trim_end_matches('/'))] {
                let glob = GlobBuilder::new(&glob)
                    .build()
                    .map_err(|e| QueryError::Glob(path.clone(), e.kind().to_string()))?;
                set.add(glob);
            }
        }
        set.build().map(Some).map_err(|e| QueryError::Glob(self.paths.join(" "), e.to_string()))
    }
}
