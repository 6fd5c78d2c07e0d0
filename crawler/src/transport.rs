//! One trait for every way by which an upstream's history comes.
//!
//! A transport brings git objects into headwater's object store, and records are made of
//! what lies there: so they are the same whichever brought it, and only their receipts
//! say which. An object whose id comes out again is as good from one as from another.

use std::collections::HashSet;

use headwater_store::model::TagObservation;
use headwater_store::objects::ObjectStore;
use headwater_store::upstream::Upstream;
use headwater_store::{Comparison, Oid};

use crate::CrawlError;

/// Both ends of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ends {
    /// The older one.
    pub base: Oid,
    /// The newer one.
    pub head: Oid,
}

/// The refs that a transport shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Refs {
    /// The head of the default branch.
    pub branch: Option<Oid>,
    /// Tags, annotated ones peeled.
    pub tags: Vec<TagObservation>,
    /// Whether these are all tags: one that is not among them has gone.
    pub all: bool,
}

/// What of a history to bring.
pub enum Wanted<'a> {
    /// The default branch of this name and every tag, with all files.
    Whole(&'a str),
    /// Both sides of a window.
    Window(&'a WindowWanted<'a>),
}

/// A window to bring.
pub struct WindowWanted<'a> {
    /// The upstream.
    pub upstream: &'a Upstream,
    /// Both ends, as upstream's host calls them.
    pub names: [&'a str; 2],
    /// The commits that they mean.
    pub ends: Ends,
    /// Tips beside it: release branches that may hold twins of its commits.
    pub beside: &'a [Oid],
    /// What the host's comparison said of it, if it did.
    pub said: Option<&'a Comparison>,
    /// Which files of the trees at both ends are wanted beside those that changed.
    pub at_ends: &'a dyn Fn(&str) -> bool,
}

/// What came, beside the objects.
#[derive(Debug, Default)]
pub struct Brought {
    /// Commits that came without the bytes that their ids are made of.
    pub unproven: HashSet<Oid>,
    /// What leaves it uncertain whether the window is whole or true.
    pub doubts: Vec<Doubt>,
}

/// One thing that leaves a window uncertain: a cap that was hit, or two transports that
/// disagree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// Its kind, as gaps name it.
    pub kind: &'static str,
    /// What it is.
    pub detail: String,
}

/// A way by which an upstream's history comes.
pub trait Transport {
    /// Its name, as receipts say it.
    fn name(&self) -> &'static str;

    /// Where from: a URL, or the directory of a clone.
    fn place(&self) -> String;

    /// The refs of the default branch and of tags; where `ends` are given, at least those
    /// that a window between them needs.
    ///
    /// # Errors
    /// Where they cannot be had.
    fn refs(&self, upstream: &Upstream, ends: Option<[&str; 2]>) -> Result<Refs, CrawlError>;

    /// Brings commits with their trees into the object store.
    ///
    /// # Errors
    /// Where not everything could be had; what came stays.
    fn history(&self, objects: &ObjectStore, wanted: &Wanted<'_>) -> Result<Brought, CrawlError>;

    /// Brings files by their object ids; gives those that it does not have.
    ///
    /// # Errors
    /// Where it did not answer; what came stays.
    fn files(&self, objects: &ObjectStore, blobs: &[Oid]) -> Result<Vec<Oid>, CrawlError>;
}
