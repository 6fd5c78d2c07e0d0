//! The pins of one tree.

use headwater_store::objects::ObjectReader;
use headwater_store::upstream::{Pin, PinHome, Upstream, Upstreams};
use headwater_store::{Oid, Store, StoredCommit};
use regex::Regex;
use schemars::JsonSchema;
use serde::Serialize;

use crate::QueryError;
use crate::window::{How, Resolver};

/// A pin as a tree states it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PinValue {
    /// The pin's name.
    pub pin: String,
    /// The pinned upstream.
    pub upstream: String,
    /// The path that holds it.
    pub home: String,
    /// The value as it stands there: a build number, a tag, an object id in full or in
    /// part.
    pub value: String,
    /// The blob or gitlink that holds it.
    #[serde(skip)]
    pub object: Oid,
}

/// What a pin's value means in the pinned upstream.
#[derive(Debug, Clone)]
pub struct PinTarget {
    /// The commit.
    pub commit: StoredCommit,
    /// Its build number, where the pinned upstream counts builds.
    pub build: Option<String>,
    /// The tag was missing, and the number was counted.
    pub derived: bool,
}

/// Why what a pin brings cannot be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinGap {
    /// What kind of gap it is.
    pub kind: PinGapKind,
    /// In words.
    pub why: String,
}

/// What kind of gap a pin leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PinGapKind {
    /// No file declares the pinned upstream.
    NotTracked,
    /// Nothing of it is stored.
    NotCrawled,
    /// Its value names nothing that is stored.
    Unknown,
    /// The pin is in one of the trees alone.
    OneEnd,
    /// It went back to something older.
    WentBack,
}

impl std::fmt::Display for PinGap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.why)
    }
}

/// Reads pins out of trees.
pub struct PinReader<'a> {
    store: &'a Store,
    upstreams: &'a Upstreams,
    upstream: &'a Upstream,
    objects: ObjectReader,
    patterns: Vec<(String, Regex)>,
}

impl<'a> PinReader<'a> {
    /// A reader for the trees of `upstream`.
    ///
    /// # Errors
    /// Where its object store cannot be opened.
    pub fn new(
        store: &'a Store,
        upstreams: &'a Upstreams,
        upstream: &'a Upstream,
    ) -> Result<Self, QueryError> {
        let objects = store.objects(&upstream.name)?.reader();
        let mut patterns = Vec::new();
        for pattern in upstream.pins.iter().flat_map(|p| &p.homes).filter_map(|h| h.value.as_ref())
        {
            let regex = Regex::new(pattern).map_err(|e| QueryError::Pattern(e.to_string()))?;
            patterns.push((pattern.clone(), regex));
        }
        Ok(PinReader { store, upstreams, upstream, objects, patterns })
    }

    /// The objects of the upstream's trees.
    pub fn objects(&mut self) -> &mut ObjectReader {
        &mut self.objects
    }

    /// Every pin that the tree states; of the homes of one pin, those of the highest rank.
    ///
    /// # Errors
    /// Where a tree or file is not in the object store.
    pub fn pins(&mut self, tree: Oid) -> Result<Vec<PinValue>, QueryError> {
        let upstream = self.upstream;
        let mut found = Vec::new();
        for pin in &upstream.pins {
            let mut of_pin: Vec<(u8, PinValue)> = Vec::new();
            for home in &pin.homes {
                if let Some(value) = self.at_home(tree, pin, home)? {
                    of_pin.push((home.rank, value));
                }
            }
            let highest = of_pin.iter().map(|(rank, _)| *rank).max();
            found.extend(
                of_pin.into_iter().filter(|(rank, _)| Some(*rank) == highest).map(|(_, v)| v),
            );
        }
        Ok(found)
    }

    fn at_home(
        &mut self,
        tree: Oid,
        pin: &Pin,
        home: &PinHome,
    ) -> Result<Option<PinValue>, QueryError> {
        let Some(entry) = self.objects.entry(tree, &home.path)? else { return Ok(None) };
        let value = if home.gitlink {
            if !entry.is_gitlink() {
                return Ok(None);
            }
            entry.oid.to_string()
        } else {
            if !entry.is_blob() {
                return Ok(None);
            }
            let Some(data) = self.objects.blob(entry.oid)? else {
                // A file of this name that is missing is a gap, not an absent pin.
                return Err(headwater_store::StoreError::NoObject {
                    upstream: self.upstream.name.clone(),
                    oid: entry.oid,
                    why: format!(" ({})", home.path),
                }
                .into());
            };
            let text = String::from_utf8_lossy(&data);
            let value = match &home.value {
                None => Some(text.trim()),
                Some(pattern) => self
                    .patterns
                    .iter()
                    .find(|(known, _)| known == pattern)
                    .and_then(|(_, regex)| Some(regex.captures(&text)?.get(1)?.as_str())),
            };
            match value {
                Some(value) if !value.is_empty() => value.to_owned(),
                _ => return Ok(None),
            }
        };
        Ok(Some(PinValue {
            pin: pin.name.clone(),
            upstream: pin.upstream.clone(),
            home: home.path.clone(),
            value,
            object: entry.oid,
        }))
    }

    /// The commit that a pin's value means, or in words why it cannot be told.
    ///
    /// # Errors
    /// Those of the store.
    pub fn target(&self, pin: &PinValue) -> Result<Result<PinTarget, PinGap>, QueryError> {
        let gap = |kind, why| Ok(Err(PinGap { kind, why }));
        let Some(target) = self.upstreams.find(&pin.upstream) else {
            return gap(PinGapKind::NotTracked, format!("{} is not tracked", pin.upstream));
        };
        if self.store.find_upstream(&target.name)?.is_none() {
            let why = format!("{0} is not crawled: `headwater crawl {0}`", target.name);
            return gap(PinGapKind::NotCrawled, why);
        }
        let resolver = Resolver::new(self.store, target)?;
        Ok(match resolver.resolve(&pin.value) {
            Ok(found) => {
                let build = match &target.build_prefix {
                    Some(prefix) => self
                        .store
                        .place(found.commit.id())?
                        .filter(|place| place.reachable > 0)
                        .map(|place| format!("{prefix}{}", place.reachable)),
                    None => None,
                };
                Ok(PinTarget { commit: found.commit, build, derived: found.how == How::Counted })
            }
            Err(
                error @ (QueryError::UnknownRevision { .. }
                | QueryError::NotStored { .. }
                | QueryError::Ambiguous { .. }),
            ) => Err(PinGap { kind: PinGapKind::Unknown, why: error.to_string() }),
            Err(error) => return Err(error),
        })
    }
}
