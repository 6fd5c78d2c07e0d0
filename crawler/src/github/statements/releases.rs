//! Releases and their notes.
//! <https://docs.github.com/en/rest/releases/releases#list-releases>

use headwater_store::{Markup, NewStatement, StatementKind};
use serde::Deserialize;
use serde_json::json;

use super::{Account, Got, Page, Statements, Time, incomplete};
use crate::github::{GitHubError, escaped};

/// What the newest ones are: the default page of the API.
const NEWEST: usize = 30;

#[derive(Debug, Deserialize)]
struct Release {
    tag_name: String,
    html_url: String,
    name: Option<String>,
    body: Option<String>,
    #[serde(default)]
    prerelease: bool,
    author: Option<Account>,
    created_at: Time,
    published_at: Time,
    #[serde(default)]
    assets: Vec<Asset>,
}

#[derive(Debug, Deserialize)]
struct Asset {
    name: String,
}

impl Release {
    fn said(self) -> NewStatement {
        let assets: Vec<String> = self.assets.into_iter().map(|asset| asset.name).collect();
        NewStatement {
            kind: StatementKind::Release,
            title: self.name.unwrap_or_else(|| self.tag_name.clone()),
            key: self.tag_name,
            body: self.body.unwrap_or_default(),
            markup: Markup::Markdown,
            state: if self.prerelease { "prerelease" } else { "final" }.to_owned(),
            author: self.author.map(|account| account.login),
            url: self.html_url,
            opened: self.created_at,
            published: self.published_at,
            closed: None,
            detail: json!({ "assets": assets }),
        }
    }
}

impl Statements<'_> {
    /// The newest releases: one request.
    ///
    /// # Errors
    /// Those of GitHub and the store.
    pub fn newest_releases(&self) -> Result<Got, GitHubError> {
        let route = format!("/repos/{}/releases?per_page={NEWEST}", self.repository);
        let Some(page): Option<Page<Release>> = self.page(&route)? else {
            return Ok(Got::default());
        };
        let incomplete = incomplete(page.unread, None);
        let said: Vec<_> = page.all.into_iter().map(|one| (page.receipt, one.said())).collect();
        // A list of one page is the whole list.
        let scope = if page.next.is_none() { "all" } else { "newest" };
        self.keep(StatementKind::Release, scope, &said, incomplete)
    }

    /// All releases, page by page, as far as requests are left and the host lists them.
    ///
    /// # Errors
    /// Those of GitHub and the store; what came before is kept.
    pub fn all_releases(&self) -> Result<Got, GitHubError> {
        let mut route = format!("/repos/{}/releases?per_page=100", self.repository);
        let (mut all, mut unread) = (Got::default(), 0);
        loop {
            // A page is asked for whole, whatever was seen of it: those behind it count too.
            let page: Page<Release> = match self.fresh_page(&route) {
                Ok(page) => page,
                // <https://docs.github.com/en/rest/releases/releases>: a list ends somewhere.
                Err(GitHubError::Status { status: 422, message, .. }) => {
                    let why = format!("the host lists no more: {message}");
                    return self.end(all, unread, Some(why));
                }
                Err(GitHubError::Allowance) if all.seen > 0 => {
                    let why = format!("no request was left after {} releases", all.seen);
                    return self.end(all, unread, Some(why));
                }
                Err(error) => return Err(error),
            };
            unread += page.unread;
            for one in page.all {
                all.seen += 1;
                all.new +=
                    usize::from(self.store.add_statement(self.id, page.receipt, &one.said())?);
            }
            match page.next {
                Some(next) => route = next,
                None => return self.end(all, unread, None),
            }
        }
    }

    fn end(&self, got: Got, unread: usize, why: Option<String>) -> Result<Got, GitHubError> {
        let why = incomplete(unread, why);
        self.store.add_look(self.id, StatementKind::Release, "all", None, why.as_deref())?;
        Ok(Got { incomplete: why, ..got })
    }

    /// The release of one tag; an empty answer where the tag has none.
    ///
    /// # Errors
    /// Those of GitHub and the store.
    pub fn release(&self, tag: &str) -> Result<Got, GitHubError> {
        let route = format!("/repos/{}/releases/tags/{}", self.repository, escaped(tag));
        let scope = format!("tag:{tag}");
        let said = match self.one::<Release>(&route) {
            Ok(Some((release, receipt))) => vec![(receipt, release.said())],
            Ok(None) => return Ok(Got::default()),
            Err(GitHubError::Status { status: 404, .. }) => Vec::new(),
            Err(error) => return Err(error),
        };
        self.keep(StatementKind::Release, &scope, &said, None)
    }
}
