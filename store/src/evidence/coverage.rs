//! What a claim was checked against.

use schemars::JsonSchema;
use serde::Serialize;

use crate::Oid;

/// Something that a scope lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Gap {
    /// What kind of thing is missing: `missing-blob`, `history-cut`, `not-crawled` …
    pub kind: String,
    /// The commit it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<Oid>,
    /// The path it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The gap in a sentence.
    pub detail: String,
}

/// What the store holds of the scope that a claim speaks of. Only the store makes one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Coverage {
    /// The upstream.
    upstream: String,
    /// The scope's name: a window, the default branch.
    scope: String,
    /// Its commits that are stored.
    commits_stored: u64,
    /// Its commits that upstream reports.
    commits_reported: u64,
    /// Stored commits whose patches are whole.
    patches_complete: u64,
    /// What is missing, each by name.
    gaps: Vec<Gap>,
}

impl Coverage {
    pub(crate) fn new(
        upstream: String,
        scope: String,
        commits_stored: u64,
        commits_reported: u64,
        commits_with_gap: u64,
        gaps: Vec<Gap>,
    ) -> Self {
        let patches_complete = commits_stored.saturating_sub(commits_with_gap);
        Coverage { upstream, scope, commits_stored, commits_reported, patches_complete, gaps }
    }

    /// The upstream.
    pub fn upstream(&self) -> &str {
        &self.upstream
    }

    /// What the scope is called.
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// Commits of the scope that are stored.
    pub fn commits_stored(&self) -> u64 {
        self.commits_stored
    }

    /// Commits that upstream has in the scope.
    pub fn commits_reported(&self) -> u64 {
        self.commits_reported
    }

    /// Stored commits of which nothing is missing.
    pub fn patches_complete(&self) -> u64 {
        self.patches_complete
    }

    /// Everything that is missing, by name.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// Whether nothing at all is missing.
    pub fn is_complete(&self) -> bool {
        self.gaps.is_empty()
            && self.commits_stored >= self.commits_reported
            && self.patches_complete == self.commits_stored
    }
}
