//! Issues and pull requests that hold a word.
//! <https://docs.github.com/en/rest/search/search#search-issues-and-pull-requests>
//!
//! GitHub's search is no source for an absence: it stops at 1,000, and says itself when it
//! did not look everywhere.

use headwater_store::{Markup, NewStatement, StatementKind};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Account, Got, Statements, Time, incomplete, read_each};
use crate::github::{GitHubError, escaped};

#[derive(Debug, Deserialize)]
struct Found {
    total_count: u64,
    #[serde(default)]
    incomplete_results: bool,
    items: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct Issue {
    number: u64,
    html_url: String,
    title: String,
    body: Option<String>,
    state: String,
    user: Option<Account>,
    created_at: Time,
    updated_at: Time,
    closed_at: Time,
    pull_request: Option<PullPart>,
    #[serde(default)]
    comments: u64,
}

/// What tells a pull request from an issue.
#[derive(Debug, Deserialize)]
struct PullPart {
    merged_at: Time,
}

impl Issue {
    fn said(self) -> NewStatement {
        let merged = self.pull_request.as_ref().and_then(|pull| pull.merged_at);
        NewStatement {
            kind: match self.pull_request {
                Some(_) => StatementKind::Pull,
                None => StatementKind::Issue,
            },
            key: self.number.to_string(),
            title: self.title,
            body: self.body.unwrap_or_default(),
            markup: Markup::Markdown,
            state: if merged.is_some() { "merged".to_owned() } else { self.state },
            author: self.user.map(|account| account.login),
            url: self.html_url,
            opened: self.created_at,
            published: self.updated_at,
            closed: merged.or(self.closed_at),
            detail: json!({ "comments": self.comments }),
        }
    }
}

impl Statements<'_> {
    /// The issues and pull requests of this upstream that hold a word, the newest first:
    /// one request.
    ///
    /// # Errors
    /// Those of GitHub and the store.
    pub fn reports_with(&self, word: &str) -> Result<Got, GitHubError> {
        let asked = format!("repo:{} \"{}\"", self.repository, word.replace(['"', '\\'], " "));
        // A slash would end the path's part in some readers; everything else is escaped.
        let q = escaped(&asked).replace('/', "%2F");
        let route = format!("/search/issues?q={q}&sort=created&order=desc&per_page=50");
        let scope = format!("search:{word}");
        let Some((found, receipt)) = self.one::<Found>(&route)? else {
            return Ok(Got::default());
        };
        let count = found.items.len();
        let issues: Vec<Issue> = read_each(found.items);
        let more = match (found.incomplete_results, found.total_count > count as u64) {
            (true, _) => Some("the host did not look everywhere".to_owned()),
            (false, true) => Some(format!("the newest {count} of {}", found.total_count)),
            (false, false) => None,
        };
        let why = incomplete(count - issues.len(), more);
        let mut got = Got { seen: issues.len(), new: 0, incomplete: why };
        for issue in issues {
            got.new += usize::from(self.store.add_statement(self.id, receipt, &issue.said())?);
        }
        let why = got.incomplete.as_deref();
        self.store.add_look(self.id, StatementKind::Issue, &scope, Some(receipt), why)?;
        Ok(got)
    }
}
