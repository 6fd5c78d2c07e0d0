//! Which files of a tree answers read, beside those that commits change: what a store
//! without all of history needs at a window's ends.

use std::collections::HashSet;

use globset::GlobSet;
use headwater_store::upstream::Upstream;

use crate::QueryError;
use crate::abi;
use crate::ledger::Extractors;
use crate::said;

/// The files of one upstream's trees that answers read.
pub struct TreeReads<'a> {
    upstream: &'a str,
    extractors: &'a Extractors,
    named: HashSet<String>,
    headers: Vec<GlobSet>,
}

impl<'a> TreeReads<'a> {
    /// What the rules in use read of an upstream.
    ///
    /// # Errors
    /// Rules that are not valid.
    pub fn new(upstream: &'a Upstream, extractors: &'a Extractors) -> Result<Self, QueryError> {
        let homes = upstream.pins.iter().flat_map(|pin| &pin.homes);
        let homes = homes.filter(|home| !home.gitlink).map(|home| home.path.clone());
        let facts = upstream.engines.iter().flat_map(|engine| &engine.present);
        let facts = facts.filter(|fact| fact.contains.is_some()).map(|fact| fact.path.clone());
        let resolves = extractors.resolves.iter().filter(|r| r.upstream == upstream.name);
        let proofs = resolves.flat_map(|r| &r.evidence).flat_map(|e| e.paths.iter().cloned());
        let (headers, versions) = abi::reads(upstream)?;
        let checked = said::checked_paths(&upstream.name)?;
        Ok(TreeReads {
            upstream: &upstream.name,
            extractors,
            named: homes.chain(facts).chain(proofs).chain(versions).chain(checked).collect(),
            headers,
        })
    }

    /// Whether an answer may read the file at `path`.
    pub fn reads(&self, path: &str) -> bool {
        self.named.contains(path)
            || self.extractors.reads(self.upstream, path)
            || self.headers.iter().any(|globs| globs.is_match(path))
    }
}
