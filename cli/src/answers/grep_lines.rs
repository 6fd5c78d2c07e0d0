//! An exact search as a stream: one document a line, the last of which tells what was searched.

use chrono::{DateTime, Utc};
use headwater_queries::grep::{CommitHits, ScopeCoverage, TreeAnswer, TreeHit};
use headwater_queries::said::{NoteMatch, NotesCoverage};
use headwater_store::Oid;
use schemars::JsonSchema;
use serde::Serialize;

use super::grep::Match;

/// What the last line says its lines are.
pub const SCHEMA: &str = "headwater/grep-ndjson/1";

/// A line of a search of history.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Line<'a> {
    /// A commit whose lines follow.
    Begin {
        /// The upstream.
        upstream: &'a str,
        /// The commit.
        sha: Oid,
        /// When it was committed.
        date: DateTime<Utc>,
        /// Its message's first line: a stranger's text.
        subject: &'a str,
        /// The first tag that contains it.
        first_tag: Option<&'a str>,
    },
    /// A line that matches.
    Match {
        /// The line, with its commit.
        #[serde(flatten)]
        found: Match<'a>,
    },
    /// All lines of a commit were told.
    End {
        /// The upstream.
        upstream: &'a str,
        /// The commit.
        sha: Oid,
        /// How many of its lines match.
        matches: u64,
    },
    /// The last line: what was searched.
    Summary {
        /// `headwater/grep-ndjson/1`
        #[schemars(extend("const" = SCHEMA))]
        schema: &'static str,
        /// The patterns.
        patterns: &'a [String],
        /// How many commits match.
        commits: usize,
        /// What was searched, an upstream each.
        coverage: Vec<&'a ScopeCoverage>,
        /// Commands that give the same answer.
        rederive: &'a [String],
    },
}

impl<'a> Line<'a> {
    /// The line before those of a commit.
    pub fn begin(commit: &'a CommitHits) -> Self {
        Line::Begin {
            upstream: &commit.upstream,
            sha: commit.sha,
            date: commit.date,
            subject: &commit.subject,
            first_tag: commit.first_tag.as_deref(),
        }
    }

    /// The line behind those of a commit.
    pub fn end(commit: &'a CommitHits) -> Self {
        Line::End { upstream: &commit.upstream, sha: commit.sha, matches: commit.count }
    }
}

/// A line of a search of a tree.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum TreeLine<'a> {
    /// A line that matches.
    Match {
        /// The upstream.
        upstream: &'a str,
        /// The commit of the revision.
        sha: Oid,
        /// The line.
        #[serde(flatten)]
        hit: &'a TreeHit,
    },
    /// The last line: what was read.
    Summary {
        /// `headwater/grep-ndjson/1`
        #[schemars(extend("const" = SCHEMA))]
        schema: &'static str,
        /// The patterns.
        patterns: &'a [String],
        /// The upstream.
        upstream: &'a str,
        /// The commit of the revision.
        sha: Oid,
        /// Files that were read.
        files: u64,
        /// Files that were passed over since they are binary.
        binary: u64,
        /// Files whose text the object store lacks.
        missing: &'a [String],
    },
}

impl<'a> TreeLine<'a> {
    /// Every line of an answer.
    pub fn all(patterns: &'a [String], answer: &'a TreeAnswer) -> impl Iterator<Item = Self> {
        let (upstream, sha) = (answer.upstream.as_str(), answer.sha);
        let hits = answer.matches.iter();
        hits.map(move |hit| TreeLine::Match { upstream, sha, hit }).chain([TreeLine::Summary {
            schema: SCHEMA,
            patterns,
            upstream,
            sha,
            files: answer.files,
            binary: answer.binary,
            missing: &answer.missing,
        }])
    }
}

/// A line of a search of release notes.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum NotesLine<'a> {
    /// A line that matches.
    Match {
        /// The line, with its release.
        #[serde(flatten)]
        found: &'a NoteMatch,
    },
    /// The last line: what was searched.
    Summary {
        /// `headwater/grep-ndjson/1`
        #[schemars(extend("const" = SCHEMA))]
        schema: &'static str,
        /// The patterns.
        patterns: &'a [String],
        /// What was searched, an upstream each.
        coverage: &'a [NotesCoverage],
    },
}
