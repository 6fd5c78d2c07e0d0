//! Published security advisories.
//! <https://docs.github.com/en/rest/security-advisories/repository-advisories>

use headwater_store::{Markup, NewStatement, StatementKind};
use serde::Deserialize;
use serde_json::json;

use super::{Account, Got, Page, Statements, Time, incomplete};
use crate::github::GitHubError;

#[derive(Debug, Deserialize)]
struct Advisory {
    ghsa_id: String,
    cve_id: Option<String>,
    html_url: String,
    summary: String,
    description: Option<String>,
    severity: Option<String>,
    state: Option<String>,
    author: Option<Account>,
    created_at: Time,
    published_at: Time,
    updated_at: Time,
    withdrawn_at: Time,
    vulnerabilities: Option<Vec<Vulnerability>>,
}

#[derive(Debug, Deserialize)]
struct Vulnerability {
    vulnerable_version_range: Option<String>,
    patched_versions: Option<String>,
}

impl Advisory {
    fn said(self) -> NewStatement {
        let ranges: Vec<_> = self
            .vulnerabilities
            .unwrap_or_default()
            .into_iter()
            .map(|one| {
                json!({
                    "vulnerable": one.vulnerable_version_range,
                    "patched": one.patched_versions,
                })
            })
            .collect();
        let state = match self.withdrawn_at {
            Some(_) => "withdrawn".to_owned(),
            None => self.state.unwrap_or_else(|| "published".to_owned()),
        };
        NewStatement {
            kind: StatementKind::Advisory,
            key: self.ghsa_id,
            title: self.summary,
            body: self.description.unwrap_or_default(),
            markup: Markup::Markdown,
            state,
            author: self.author.map(|account| account.login),
            url: self.html_url,
            opened: self.created_at,
            published: self.published_at.or(self.updated_at),
            closed: self.withdrawn_at,
            detail: json!({
                "severity": self.severity,
                "cve": self.cve_id,
                "affected": ranges,
            }),
        }
    }
}

impl Statements<'_> {
    /// The published advisories of the repository, newest first: one request.
    ///
    /// # Errors
    /// Those of GitHub and the store.
    pub fn advisories(&self) -> Result<Got, GitHubError> {
        let route = format!("/repos/{}/security-advisories?per_page=100", self.repository);
        let Some(page): Option<Page<Advisory>> = self.page(&route)? else {
            self.store.add_look(self.id, StatementKind::Advisory, "all", None, None)?;
            return Ok(Got::default());
        };
        let more = page.next.is_some().then(|| "only the newest hundred were asked for".to_owned());
        let why = incomplete(page.unread, more);
        let said: Vec<_> = page.all.into_iter().map(|one| (page.receipt, one.said())).collect();
        self.keep(StatementKind::Advisory, "all", &said, why)
    }
}
