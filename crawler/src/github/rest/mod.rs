//! A window without git's protocol: commits and trees from the API, patches and archives
//! from the web host, single files from the raw host.
//!
//! Every object is made again and hashed: what gives its id is as good as what git sends.
//! A patch counts only if the tree that it leads to has the id that its commit names. So
//! no host needs to be trusted, and what reaches the object store is what git would have
//! brought. What does not come out by one way is asked for by another; what comes out by
//! none is a gap.

mod archive;
mod ask;
mod commits;
mod files;
mod index;
mod mail;
mod refs;
mod trees;
mod verify;

use std::cell::RefCell;
use std::collections::HashMap;

use headwater_store::objects::ObjectStore;
use headwater_store::upstream::Upstream;
use headwater_store::{Comparison, Oid, Store};

use super::compare::{FirstPage, compare_commits};
use super::{Api, GitHubError};
use crate::CrawlError;
use crate::git::remote::hold;
use crate::http::{Client, Hosts};
use crate::transport::{Brought, Refs, Transport, Wanted};

/// A repository behind GitHub's API and its other hosts.
pub struct Rest<'a> {
    api: &'a Api<'a>,
    client: &'a Client,
    web: &'a str,
    raw: &'a str,
    repository: RefCell<String>,
    /// The comparison of the window that is wanted, until its commits are read.
    page: RefCell<Option<FirstPage>>,
    /// Where a file of an object id lies: a commit, and its path there.
    places: RefCell<HashMap<Oid, (Oid, String)>>,
    /// Lists of references that ended where such lists are cut.
    cut_refs: RefCell<Vec<String>>,
    /// How often in a row each host of downloads did not answer.
    silent: RefCell<HashMap<String, u32>>,
}

impl<'a> Rest<'a> {
    /// The repository `owner/name`.
    pub fn new(api: &'a Api<'a>, client: &'a Client, hosts: &'a Hosts, repository: &str) -> Self {
        Rest {
            api,
            client,
            web: &hosts.github_web,
            raw: &hosts.github_raw,
            repository: RefCell::new(repository.to_owned()),
            page: RefCell::default(),
            places: RefCell::default(),
            cut_refs: RefCell::default(),
            silent: RefCell::default(),
        }
    }

    /// What GitHub counts in a window, which is kept; its first commits come with it.
    ///
    /// # Errors
    /// Those of GitHub and the store.
    pub fn compare(
        &self,
        store: &Store,
        upstream: &Upstream,
        names: (&str, &str),
        ends: (Oid, Oid),
    ) -> Result<Comparison, GitHubError> {
        let (said, page) = compare_commits(self.api, store, upstream, names, ends)?;
        self.repository.replace(store.repository(upstream)?);
        self.page.replace(Some(page));
        Ok(said)
    }
}

impl Transport for Rest<'_> {
    fn name(&self) -> &'static str {
        "github-rest"
    }

    fn place(&self) -> String {
        self.api.url(&format!("/repos/{}", self.repository.borrow()))
    }

    fn refs(&self, upstream: &Upstream, ends: Option<[&str; 2]>) -> Result<Refs, CrawlError> {
        Ok(self.some_refs(upstream, ends)?)
    }

    fn history(&self, objects: &ObjectStore, wanted: &Wanted<'_>) -> Result<Brought, CrawlError> {
        let window = match wanted {
            Wanted::Window(window) => window,
            Wanted::Whole(_) => {
                return Err(CrawlError::WindowsOnly(self.repository.borrow().clone()));
            }
        };
        let _held = hold(objects.dir())?;
        let page = self.page.take();
        let listed = page.as_ref().and_then(|page| page.files.clone());
        let mut brought = Brought::default();
        let mut pool = self.commits(objects, window, page, &mut brought)?;
        self.trees(objects, window, &mut pool)?;
        if let Some(listed) = listed {
            verify::listed(objects, window.ends, &listed, &mut brought)?;
        }
        Ok(brought)
    }

    fn files(&self, objects: &ObjectStore, blobs: &[Oid]) -> Result<Vec<Oid>, CrawlError> {
        let _held = hold(objects.dir())?;
        self.bring_files(objects, blobs)
    }
}
