//! Pull requests: which of them a commit came with, and their texts.
//! <https://docs.github.com/en/rest/commits/commits#list-pull-requests-associated-with-a-commit>

use headwater_store::{Markup, NewStatement, Oid, StatementKind};
use serde::Deserialize;
use serde_json::json;

use super::{Account, Got, Page, Statements, Time};
use crate::github::GitHubError;

#[derive(Debug, Deserialize)]
struct Pull {
    number: u32,
    html_url: String,
    title: String,
    body: Option<String>,
    state: String,
    user: Option<Account>,
    created_at: Time,
    updated_at: Time,
    closed_at: Time,
    merged_at: Time,
    merge_commit_sha: Option<String>,
}

impl Pull {
    fn said(self) -> NewStatement {
        NewStatement {
            kind: StatementKind::Pull,
            key: self.number.to_string(),
            title: self.title,
            body: self.body.unwrap_or_default(),
            markup: Markup::Markdown,
            state: if self.merged_at.is_some() { "merged".to_owned() } else { self.state },
            author: self.user.map(|account| account.login),
            url: self.html_url,
            opened: self.created_at,
            published: self.updated_at,
            closed: self.merged_at.or(self.closed_at),
            detail: json!({ "merge_commit": self.merge_commit_sha }),
        }
    }
}

impl Statements<'_> {
    /// Which pull requests a commit came with: one request, whose answer has their texts
    /// too. Merged ones count first.
    ///
    /// # Errors
    /// Those of GitHub and the store.
    pub fn pulls_of(&self, oid: Oid) -> Result<Vec<u32>, GitHubError> {
        let route = format!("/repos/{}/commits/{oid}/pulls", self.repository);
        let page: Page<Pull> = self.fresh_page(&route)?;
        let mut all = page.all;
        all.sort_by_key(|pull| (pull.merged_at.is_none(), pull.number));
        let numbers: Vec<u32> = all.iter().map(|pull| pull.number).collect();
        for pull in all {
            self.store.add_statement(self.id, page.receipt, &pull.said())?;
        }
        self.store.add_pull_lookup(self.id, page.receipt, oid, &numbers)?;
        Ok(numbers)
    }

    /// The text of a pull request; nothing where the number is none's.
    ///
    /// # Errors
    /// Those of GitHub and the store.
    pub fn pull(&self, number: u32) -> Result<Got, GitHubError> {
        let route = format!("/repos/{}/pulls/{number}", self.repository);
        let said = match self.one::<Pull>(&route) {
            Ok(Some((pull, receipt))) => vec![(receipt, pull.said())],
            Ok(None) => return Ok(Got::default()),
            Err(GitHubError::Status { status: 404, .. }) => Vec::new(),
            Err(error) => return Err(error),
        };
        self.keep(StatementKind::Pull, &number.to_string(), &said, None)
    }
}
