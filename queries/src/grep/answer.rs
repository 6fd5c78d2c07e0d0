//! What a search found, and what it was checked against.

use chrono::{DateTime, Utc};
use headwater_store::Oid;
use headwater_store::evidence::{Coverage, Grade};
use headwater_store::model::Side;
use schemars::JsonSchema;
use serde::Serialize;

use super::explain::Explanation;

/// A line that matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LineHit {
    /// The file, after the change; before it for a removed line. Nothing for a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The side; nothing for a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// The line's number in the file of its side, or in the message.
    pub line: u32,
    /// The line: a stranger's text.
    pub text: String,
    /// Where it matches, in bytes of the text; none for a line around a match.
    pub spans: Vec<[usize; 2]>,
}

/// The matches of one commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommitHits {
    /// The upstream.
    pub upstream: String,
    /// The commit.
    pub sha: Oid,
    /// When it was committed.
    pub date: DateTime<Utc>,
    /// Its message's first line.
    pub subject: String,
    /// The first tag that contains it.
    pub first_tag: Option<String>,
    /// How many lines match.
    pub count: u64,
    /// The lines, in the order of the patch.
    pub lines: Vec<LineHit>,
}

/// What of an upstream was searched.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ScopeCoverage {
    /// Commits, and gaps by name.
    #[serde(flatten)]
    pub commits: Coverage,
    /// File changes in scope that have text.
    pub patches: u64,
    /// The length of these texts.
    pub bytes: u64,
    /// Stored commits that only tags reach, and that were left out for it.
    pub off_branch: u64,
    /// Merges that were left out.
    pub merges: u64,
    /// The head of the default branch, when it was last seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<Oid>,
    /// When it was seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<DateTime<Utc>>,
    /// How the gaps are filled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fill: Vec<String>,
    /// How well what was found, or not found, is supported.
    pub grade: Grade,
}

/// The answer to a search, beside the commits.
#[derive(Debug, Clone)]
pub struct GrepAnswer {
    /// How many commits match and what was searched, an upstream each.
    pub coverage: Vec<(usize, ScopeCoverage)>,
    /// Commands that give the same answer.
    pub rederive: Vec<String>,
    /// How it was found.
    pub explanation: Vec<Explanation>,
}
