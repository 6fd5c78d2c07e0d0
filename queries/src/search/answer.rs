//! What a search found.

use chrono::{DateTime, Utc};
use headwater_store::Oid;
use schemars::JsonSchema;
use serde::Serialize;

use crate::said::StatementHit;

/// Where in a commit a snippet stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Where {
    /// The message's first line.
    Subject,
    /// The rest of the message.
    Message,
    /// A path.
    Path,
    /// The author.
    Author,
    /// An added line.
    Added,
    /// A removed line.
    Removed,
}

/// A line of a commit with words that were asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Snippet {
    /// Where it stands.
    pub at: Where,
    /// The file, for a line of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line's number on its side, or in the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The line, or what of a long one holds the words: a stranger's text.
    pub text: String,
    /// Where the words stand, in bytes of the text.
    pub spans: Vec<[usize; 2]>,
}

/// A commit that was found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Hit {
    /// Its place in the answer, from 1.
    pub rank: usize,
    /// The upstream.
    pub upstream: String,
    /// The commit.
    pub sha: Oid,
    /// Its message's first line.
    pub subject: String,
    /// When it was committed.
    pub date: DateTime<Utc>,
    /// The first tag that contains it.
    pub first_tag: Option<String>,
    /// How well it fits; comparable within one answer only.
    pub score: f32,
    /// It has every word that was asked for, not just some.
    pub every_word: bool,
    /// The lines that hold the words.
    pub snippets: Vec<Snippet>,
}

/// A tag whose name is one of the words.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NamedTag {
    /// The upstream.
    pub upstream: String,
    /// The tag.
    pub tag: String,
    /// Its commit.
    pub sha: Oid,
}

/// What a search by words found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SearchAnswer {
    /// `headwater/search/1`
    pub schema: &'static str,
    /// What was asked for.
    pub query: String,
    /// Tags by the name of a word.
    pub tags: Vec<NamedTag>,
    /// The commits, best first.
    pub hits: Vec<Hit>,
    /// What people wrote that holds every word: release notes, pull requests, issues,
    /// advisories.
    pub statements: Vec<StatementHit>,
    /// Commits that have every word.
    pub with_every_word: usize,
    /// Commits in the index that were looked at.
    pub searched: u64,
    /// Of all commits in the index, those that have more words than are indexed.
    pub shortened: u64,
    /// What this answer is good for.
    pub note: &'static str,
    /// The searches that are exact: they can prove that something is not there.
    pub prove: Vec<String>,
}
