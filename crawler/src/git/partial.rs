//! A window by git's partial fetch: commits and trees in one request, with a depth that
//! covers it, and files by their ids in another.

use headwater_store::Oid;
use headwater_store::objects::ObjectStore;
use headwater_store::upstream::Upstream;

use super::record;
use super::remote::Remote;
use super::window::cut;
use crate::CrawlError;
use crate::transport::{Brought, Refs, Transport, Wanted, WindowWanted};

/// How much history is fetched at first where nobody said how long the window is, in
/// commits.
const FIRST_DEPTH: u64 = 100;
/// By how much it grows where that was too little.
const DEEPER: u64 = 4;
/// With so much history a window is fetched whole: deeper than any of both upstreams.
const ALL: u64 = 60_000;

impl Transport for Remote {
    fn name(&self) -> &'static str {
        "git-http"
    }

    fn place(&self) -> String {
        self.url().to_owned()
    }

    fn refs(&self, upstream: &Upstream, _ends: Option<[&str; 2]>) -> Result<Refs, CrawlError> {
        self.list(&upstream.branch)
    }

    fn history(&self, objects: &ObjectStore, wanted: &Wanted<'_>) -> Result<Brought, CrawlError> {
        match wanted {
            Wanted::Window(window) => deepen(self, objects, window)?,
            Wanted::Whole(branch) => self.fetch_all(objects.dir(), branch)?,
        }
        Ok(Brought::default())
    }

    fn files(&self, objects: &ObjectStore, blobs: &[Oid]) -> Result<Vec<Oid>, CrawlError> {
        self.fetch_files(objects, blobs)
    }
}

/// Fetches commits until both sides of the window are there as far as where they meet,
/// and one commit more: a commit is told by what it changed.
fn deepen(
    remote: &Remote,
    objects: &ObjectStore,
    window: &WindowWanted<'_>,
) -> Result<(), CrawlError> {
    let ends = window.ends;
    let tips: Vec<Oid> = [&[ends.base, ends.head], window.beside].concat();
    // What has its history already needs no depth, which would cut it.
    if objects.is_whole() || objects.borrows_from().is_some() {
        return remote.fetch_commits(objects, &tips, None);
    }
    let mut depth = match window.said {
        Some(said) => said.ahead.max(said.behind) + 3,
        None => FIRST_DEPTH,
    };
    if is_complete(objects, window)?
        && record::kinds(objects, tips.iter().copied())?.len() == tips.len()
    {
        return Ok(());
    }
    loop {
        remote.fetch_commits(objects, &tips, Some(depth))?;
        if is_complete(objects, window)? {
            return Ok(());
        }
        if depth >= ALL {
            return Err(CrawlError::NoCommonHistory {
                upstream: window.upstream.name.clone(),
                base: window.names[0].to_owned(),
                head: window.names[1].to_owned(),
            });
        }
        depth = (depth * DEEPER).min(ALL);
    }
}

/// Whether every commit of the window is there with its parents, and as many as the host
/// counted.
fn is_complete(objects: &ObjectStore, window: &WindowWanted<'_>) -> Result<bool, CrawlError> {
    let ends = window.ends;
    let there = record::kinds(objects, [ends.base, ends.head].into_iter())?;
    let meet = record::merge_bases(objects, ends);
    if there.len() < 2 - usize::from(ends.base == ends.head) || meet.is_empty() {
        return Ok(false);
    }
    let listed = record::window(objects, ends, &[])?;
    let cut = cut(objects);
    if listed.iter().any(|(oid, _)| cut.contains(oid)) {
        return Ok(false);
    }
    let Some(said) = window.said else { return Ok(true) };
    let [ahead, behind] = record::sides(objects, ends)?;
    // More than the host counted: history that BASE reaches too, further back.
    Ok(cut.is_empty() || (ahead <= said.ahead && behind <= said.behind))
}
