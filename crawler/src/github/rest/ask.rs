//! One question to each of GitHub's hosts.

use serde::de::DeserializeOwned;

use super::Rest;
use crate::github::{Asked, GitHubError};
use crate::http::{HttpError, Request};

/// The most bytes of one JSON answer.
const MOST_JSON: usize = 64 << 20;
/// The most bytes of a range's patches.
const MOST_PATCH: usize = 128 << 20;
/// How often in a row a host may fail to answer before it is not asked any more.
const MOST_SILENT: u32 = 3;
/// The most bytes of one file.
pub(super) const MOST_FILE: usize = 64 << 20;
/// The most bytes of an archive, compressed.
const MOST_ARCHIVE: usize = 512 << 20;

impl Rest<'_> {
    /// An answer of the API about this repository, and the next page's URL.
    pub(super) fn json<T: DeserializeOwned>(
        &self,
        route: &str,
    ) -> Result<(T, Option<String>), GitHubError> {
        let route = format!("/repos/{}{route}", self.repository.borrow());
        self.page_at(&route)
    }

    /// The page at a URL that the API itself gave.
    pub(super) fn page<T: DeserializeOwned>(
        &self,
        url: &str,
    ) -> Result<(T, Option<String>), GitHubError> {
        match url.strip_prefix(self.api.url("").as_str()).filter(|route| route.starts_with('/')) {
            Some(route) => self.page_at(route),
            None => Err(GitHubError::Unreadable {
                url: self.api.url(""),
                why: "its next page is on another host".to_owned(),
            }),
        }
    }

    fn page_at<T: DeserializeOwned>(
        &self,
        route: &str,
    ) -> Result<(T, Option<String>), GitHubError> {
        let asked = Asked { route, accept: None, etag: None, limit: MOST_JSON };
        let reply = self.api.get(&asked)?;
        let body = reply.body.unwrap_or_default();
        let parsed = serde_json::from_slice(&body)
            .map_err(|e| GitHubError::Unreadable { url: reply.url.clone(), why: e.to_string() })?;
        Ok((parsed, reply.next))
    }

    /// The patches of a range in the API's own media type.
    pub(super) fn api_patches(&self, range: &str) -> Result<Got, GitHubError> {
        let route = format!("/repos/{}/compare/{range}", self.repository.borrow());
        let accept = Some("application/vnd.github.patch");
        let asked = Asked { route: &route, accept, etag: None, limit: MOST_PATCH };
        match self.api.get(&asked) {
            Ok(reply) => Ok(Got::Whole(reply.body.unwrap_or_default())),
            Err(GitHubError::Status { status: 406, .. }) => Ok(Got::TooLarge),
            Err(GitHubError::Status { .. }) => Ok(Got::Nothing),
            Err(error) => Err(error),
        }
    }

    /// A text of the web host's, such as `compare/A...B.patch`.
    pub(super) fn web_text(&self, path: &str) -> Result<Got, GitHubError> {
        self.download(self.web, path, MOST_PATCH)
    }

    /// An archive of the web host's.
    pub(super) fn web_archive(&self, path: &str) -> Result<Got, GitHubError> {
        self.download(self.web, path, MOST_ARCHIVE)
    }

    /// A file of the raw host's.
    pub(super) fn raw_file(&self, path: &str) -> Result<Got, GitHubError> {
        self.download(self.raw, path, MOST_FILE)
    }

    /// What a host gives, or that another way must be tried. A host that wants to be left
    /// alone is, and so is one that did not answer a few times.
    fn download(&self, host: &str, path: &str, limit: usize) -> Result<Got, GitHubError> {
        let silent = self.silent.borrow().get(host).copied().unwrap_or(0);
        if silent >= MOST_SILENT {
            return Ok(Got::Nothing);
        }
        let url = format!("{host}/{}/{path}", self.repository.borrow());
        let sent = self.client.send(&Request::get(url, limit));
        let silent = if sent.is_ok() { 0 } else { silent + 1 };
        self.silent.borrow_mut().insert(host.to_owned(), silent);
        match sent {
            Ok(answer) if answer.status == 200 => Ok(Got::Whole(answer.body)),
            Ok(answer) if matches!(answer.status, 406 | 413 | 422) => Ok(Got::TooLarge),
            Ok(_) => Ok(Got::Nothing),
            Err(error @ HttpError::Status { status: 429, .. }) => Err(error.into()),
            Err(HttpError::TooLarge { .. }) => Ok(Got::TooLarge),
            Err(_) => Ok(Got::Nothing),
        }
    }
}

/// What a download gave.
pub(super) enum Got {
    Whole(Vec<u8>),
    /// The host says that there is too much of it, or gives more than is read.
    TooLarge,
    /// It is not there, or the host does not answer.
    Nothing,
}
