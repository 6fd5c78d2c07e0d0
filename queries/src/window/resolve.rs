//! What a window's end means: a tag, a branch, a build number or an object id.

use headwater_store::upstream::Upstream;
use headwater_store::{Oid, Store, StoredCommit, UpstreamId};
use schemars::JsonSchema;
use serde::Serialize;
use strsim::damerau_levenshtein;

use crate::QueryError;

/// A revision that was found.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// How output names it: the tag where it is one, else as given.
    pub name: String,
    /// The commit.
    pub commit: StoredCommit,
    /// How it was found.
    pub how: How,
}

/// How a revision was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ResolvedBy")]
pub enum How {
    /// It is a tag.
    Tag,
    /// It is the default branch.
    Branch,
    /// It is an object id, or the start of one.
    Oid,
    /// A build number whose tag is missing: the commit that reaches so many.
    Counted,
}

/// Finds revisions of one upstream in the store.
pub struct Resolver<'a> {
    store: &'a Store,
    upstream: &'a Upstream,
    id: UpstreamId,
}

impl<'a> Resolver<'a> {
    /// A resolver for an upstream of which something is stored.
    ///
    /// # Errors
    /// Where nothing of it is stored.
    pub fn new(store: &'a Store, upstream: &'a Upstream) -> Result<Self, QueryError> {
        Ok(Resolver { store, upstream, id: store.upstream(&upstream.name)? })
    }

    /// The commit that a name means. Tags win over build numbers, and both over
    /// abbreviated object ids, since `b8179` can be all three.
    ///
    /// # Errors
    /// [`QueryError::UnknownRevision`] with the nearest names, [`QueryError::Ambiguous`],
    /// or [`QueryError::NotStored`] for a tag whose commit was not crawled.
    pub fn resolve(&self, name: &str) -> Result<Resolved, QueryError> {
        let prefixed = format!("{}{name}", self.upstream.tag_prefix);
        for tag in [name, prefixed.as_str()] {
            if let Some(tag) = self.store.tag(self.id, tag)? {
                let commit = self.stored(tag.commit, &tag.name)?;
                return Ok(Resolved { name: tag.name, commit, how: How::Tag });
            }
        }
        if let Some(commit) = self.by_build_number(name)? {
            return Ok(Resolved { name: name.to_owned(), commit, how: How::Counted });
        }
        if name == self.upstream.branch || name == "HEAD" || name == "head" {
            let branch = self.store.branch(self.id, &self.upstream.branch)?;
            if let Some((head, _)) = branch {
                let commit = self.stored(head, name)?;
                return Ok(Resolved {
                    name: self.upstream.branch.clone(),
                    commit,
                    how: How::Branch,
                });
            }
        }
        if (4..=40).contains(&name.len()) {
            let mut found = self.store.commits_with_prefix(self.id, name, 4)?;
            if found.len() > 1 {
                let names: Vec<String> = found.iter().map(|c| c.commit().oid.short()).collect();
                return Err(QueryError::Ambiguous {
                    upstream: self.upstream.name.clone(),
                    name: name.to_owned(),
                    candidates: names.join(", "),
                });
            }
            if let Some(commit) = found.pop() {
                return Ok(Resolved { name: name.to_owned(), commit, how: How::Oid });
            }
        }
        Err(self.unknown(name)?)
    }

    /// The commit with exactly this id.
    fn stored(&self, oid: Oid, name: &str) -> Result<StoredCommit, QueryError> {
        self.store.commit(self.id, oid)?.ok_or_else(|| QueryError::NotStored {
            upstream: self.upstream.name.clone(),
            what: name.to_owned(),
            scope: "BASE..HEAD".to_owned(),
        })
    }

    fn by_build_number(&self, name: &str) -> Result<Option<StoredCommit>, QueryError> {
        let Some(prefix) = &self.upstream.build_prefix else { return Ok(None) };
        let Some(number) = name.strip_prefix(prefix.as_str()) else { return Ok(None) };
        let Ok(number) = number.parse::<u32>() else { return Ok(None) };
        let ids = self.store.commits_reaching(self.id, number)?;
        Ok(match ids[..] {
            [only] => self.store.commits(self.id, &[only])?.pop(),
            _ => None,
        })
    }

    fn unknown(&self, name: &str) -> Result<QueryError, QueryError> {
        let mut tags: Vec<(usize, String)> = self
            .store
            .tags(self.id)?
            .into_iter()
            .map(|tag| (damerau_levenshtein(name, &tag.name), tag.name))
            .collect();
        tags.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| b.1.cmp(&a.1)));
        let none = tags.is_empty();
        // What differs in more than half of it, and does not even begin alike, was not meant.
        let letters =
            |name: &str| -> String { name.chars().take_while(|c| c.is_alphabetic()).collect() };
        let half = name.chars().count().div_ceil(2);
        let nearest: Vec<String> = tags
            .into_iter()
            .filter(|(distance, tag)| *distance <= half || letters(tag) == letters(name))
            .take(3)
            .map(|(_, name)| name)
            .collect();
        Ok(QueryError::UnknownRevision {
            upstream: self.upstream.name.clone(),
            name: name.to_owned(),
            nearest: match (none, nearest.is_empty()) {
                (true, _) => "; no tags are stored, crawl it first".to_owned(),
                (false, true) => {
                    let newest = super::newest(self.store, self.upstream)?.join(" and ");
                    format!("; nothing is called alike, the newest is {newest}")
                }
                (false, false) => format!("; the nearest tags are {}", nearest.join(", ")),
            },
        })
    }
}
