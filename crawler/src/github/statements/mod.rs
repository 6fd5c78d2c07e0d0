//! What people wrote on GitHub: releases, pull requests, issues, advisories.
//!
//! Only the fields that are kept are read, and each element of a list by itself: one that
//! cannot be read loses nothing but itself, and is told.

mod advisories;
mod feed;
mod pulls;
mod releases;
mod search;

use std::cell::Cell;

use chrono::{DateTime, Utc};
use headwater_store::upstream::Upstream;
use headwater_store::{NewReceipt, NewStatement, StatementKind, Store, UpstreamId};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{Api, Asked, GitHubError, Reply};

pub use feed::releases_feed;

/// The most bytes of a page: a hundred releases with their files' names are under ten
/// megabytes.
const PAGE: usize = 32 << 20;

/// An upstream's statements on GitHub, asked for one request after the other.
pub struct Statements<'a> {
    api: &'a Api<'a>,
    store: &'a Store,
    id: UpstreamId,
    repository: String,
    /// Requests that may still be made.
    left: &'a Cell<u64>,
}

/// What asking for a list brought.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Got {
    /// Elements that came.
    pub seen: usize,
    /// Of them, those that are new or changed.
    pub new: usize,
    /// Why not everything came, where it did not.
    pub incomplete: Option<String>,
}

/// Who wrote something: accounts that are gone have none.
#[derive(Debug, Deserialize)]
struct Account {
    login: String,
}

/// One page of a list: its elements, as far as they can be read, and the receipt.
struct Page<T> {
    receipt: i64,
    all: Vec<T>,
    unread: usize,
    next: Option<String>,
}

impl<'a> Statements<'a> {
    /// Those of an upstream; `left` requests may be made, and are counted down.
    ///
    /// # Errors
    /// Those of the store.
    pub fn new(
        api: &'a Api<'a>,
        store: &'a Store,
        upstream: &Upstream,
        left: &'a Cell<u64>,
    ) -> Result<Self, GitHubError> {
        let id = store.ensure_upstream(&upstream.name)?;
        let repository = store.repository(upstream)?;
        Ok(Statements { api, store, id, repository, left })
    }

    /// How many requests may still be made.
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// Asks one route, if a request is left; `None` where nothing is newer.
    fn ask(&self, route: &str) -> Result<Option<Reply>, GitHubError> {
        let seen = self.store.seen_at(self.id, &self.api.url(route))?;
        let reply = self.ask_unless(route, seen.as_ref().map(|seen| seen.etag.as_str()))?;
        Ok(reply.body.is_some().then_some(reply))
    }

    fn ask_unless(&self, route: &str, etag: Option<&str>) -> Result<Reply, GitHubError> {
        let left = self.left.get().checked_sub(1).ok_or(GitHubError::Allowance)?;
        self.left.set(left);
        self.api.get(&Asked { route, accept: None, etag, limit: PAGE })
    }

    /// One object at a route, with its receipt; `None` where nothing is newer.
    fn one<T: DeserializeOwned>(&self, route: &str) -> Result<Option<(T, i64)>, GitHubError> {
        let Some(reply) = self.ask(route)? else { return Ok(None) };
        let body = reply.body.as_deref().unwrap_or_default();
        let one = serde_json::from_slice(body).map_err(|e| unreadable(&reply, &e))?;
        Ok(Some((one, self.receipt(&reply, body)?)))
    }

    /// One page of a list; `None` where nothing is newer.
    fn page<T: DeserializeOwned>(&self, route: &str) -> Result<Option<Page<T>>, GitHubError> {
        self.ask(route)?.map(|reply| self.read_page(&reply)).transpose()
    }

    fn read_page<T: DeserializeOwned>(&self, reply: &Reply) -> Result<Page<T>, GitHubError> {
        let body = reply.body.as_deref().unwrap_or_default();
        let values: Vec<serde_json::Value> =
            serde_json::from_slice(body).map_err(|e| unreadable(reply, &e))?;
        let next = match &reply.next {
            Some(url) => Some(self.api.route(url).ok_or_else(|| GitHubError::Unreadable {
                url: reply.url.clone(),
                why: format!("its next page is at another host: {url}"),
            })?),
            None => None,
        };
        let count = values.len();
        let all: Vec<T> = read_each(values);
        let unread = count - all.len();
        Ok(Page { receipt: self.receipt(reply, body)?, all, unread, next })
    }

    /// One page of a list, whatever was seen of it before.
    fn fresh_page<T: DeserializeOwned>(&self, route: &str) -> Result<Page<T>, GitHubError> {
        let reply = self.ask_unless(route, None)?;
        self.read_page(&reply)
    }

    fn receipt(&self, reply: &Reply, body: &[u8]) -> Result<i64, GitHubError> {
        Ok(self.store.add_receipt_of(
            self.id,
            &NewReceipt {
                transport: "github-rest",
                source: &reply.url,
                obtained: reply.obtained,
                body,
                etag: reply.etag.as_deref(),
            },
        )?)
    }

    /// Keeps what came, and that it was asked for.
    fn keep(
        &self,
        kind: StatementKind,
        scope: &str,
        said: &[(i64, NewStatement)],
        incomplete: Option<String>,
    ) -> Result<Got, GitHubError> {
        let mut got = Got { seen: said.len(), new: 0, incomplete };
        for (receipt, one) in said {
            got.new += usize::from(self.store.add_statement(self.id, *receipt, one)?);
        }
        let receipt = said.last().map(|(receipt, _)| *receipt);
        self.store.add_look(self.id, kind, scope, receipt, got.incomplete.as_deref())?;
        Ok(got)
    }
}

/// Those elements that are what they should be.
fn read_each<T: DeserializeOwned>(values: Vec<serde_json::Value>) -> Vec<T> {
    values.into_iter().filter_map(|value| serde_json::from_value(value).ok()).collect()
}

fn unreadable(reply: &Reply, why: &serde_json::Error) -> GitHubError {
    GitHubError::Unreadable { url: reply.url.clone(), why: why.to_string() }
}

/// Why a list is not whole, in words.
fn incomplete(unread: usize, other: Option<String>) -> Option<String> {
    let of_unread = (unread > 0).then(|| format!("{unread} of its elements could not be read"));
    let all: Vec<String> = other.into_iter().chain(of_unread).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// A time as GitHub writes it.
type Time = Option<DateTime<Utc>>;
