//! Which commits a search covers.

use std::collections::HashSet;

use headwater_store::evidence::{Coverage, Gap};
use headwater_store::upstream::Upstream;
use headwater_store::{CommitId, ListedCommit, Scope, Store, UpstreamId};
use regex::RegexBuilder;

use super::answer::ScopeCoverage;
use super::request::Filter;
use crate::QueryError;
use crate::window::Resolver;

/// The commits of one upstream, and which of them count.
pub(crate) struct Commits<'a> {
    pub upstream: &'a Upstream,
    pub id: UpstreamId,
    /// All that are stored, by row.
    pub list: Vec<ListedCommit>,
    /// Whether each is in scope.
    pub inside: Vec<bool>,
    name: String,
    window: Option<String>,
    off_branch: u64,
    merges: u64,
}

impl<'a> Commits<'a> {
    pub fn of(store: &Store, filter: &Filter, upstream: &'a Upstream) -> Result<Self, QueryError> {
        let id = store.upstream(&upstream.name)?;
        let list = store.commit_list(id)?;
        let mut name = upstream.name.clone();
        let window = match &filter.window {
            None => None,
            Some(spec) => {
                let resolver = Resolver::new(store, upstream)?;
                let (base, head) = (resolver.resolve(&spec.base)?, resolver.resolve(&spec.head)?);
                let graph = store.graph(id)?;
                let node = |commit: &headwater_store::StoredCommit| graph.node(commit.commit().oid);
                let ids: HashSet<CommitId> = match (node(&base.commit), node(&head.commit)) {
                    (Some(base), Some(head)) => {
                        graph.between(base, head).into_iter().map(|node| graph.id(node)).collect()
                    }
                    _ => HashSet::new(),
                };
                if ids.is_empty() && base.commit.commit().oid != head.commit.commit().oid {
                    return Err(QueryError::Reversed { base: base.name, head: head.name });
                }
                name = format!("{name} {}..{}", base.name, head.name);
                Some((ids, spec.to_string()))
            }
        };
        let authors = match &filter.author {
            None => None,
            Some(author) => {
                let regex = RegexBuilder::new(author)
                    .build()
                    .map_err(|e| QueryError::Pattern(format!("--author {author:?}: {e}")))?;
                let by = store.authors(id)?;
                let by = by
                    .into_iter()
                    .filter(|(_, name, mail)| regex.is_match(&format!("{name} <{mail}>")));
                name.push_str(&format!(", author {author}"));
                Some(by.map(|(id, _, _)| id).collect::<HashSet<_>>())
            }
        };
        for path in &filter.paths {
            name.push_str(&format!(", path {path}"));
        }
        let of_class = match &filter.class {
            None => None,
            Some(class) => {
                name.push_str(&format!(", class {class}"));
                Some(store.commits_of_class(id, class)?)
            }
        };
        let (mut off_branch, mut merges) = (0, 0);
        let inside = list
            .iter()
            .map(|commit| {
                if commit.merge && !filter.merges {
                    merges += 1;
                    return false;
                }
                let placed = match &window {
                    Some((ids, _)) => ids.contains(&commit.id),
                    None if commit.on_branch || filter.all => true,
                    None => {
                        off_branch += 1;
                        false
                    }
                };
                placed
                    && filter.since.is_none_or(|since| commit.committed >= since)
                    && filter.until.is_none_or(|until| commit.committed <= until)
                    && authors.as_ref().is_none_or(|ids| ids.contains(&commit.id))
                    && of_class.as_ref().is_none_or(|ids| ids.contains(&commit.id))
            })
            .collect();
        let window = window.map(|(_, spec)| spec);
        Ok(Self { upstream, id, list, inside, name, window, off_branch, merges })
    }

    /// The place of a commit's row in the list.
    pub fn place(&self, id: u32) -> Option<usize> {
        let id = i64::from(id);
        self.list.binary_search_by_key(&id, |commit| commit.id.row()).ok()
    }

    /// What was searched, and what of it is missing.
    pub fn coverage(&self, store: &Store) -> Result<Coverage, QueryError> {
        let commits: Vec<CommitId> = self.scoped().map(|commit| commit.id).collect();
        let finished = |scope: &str| -> Result<bool, QueryError> {
            let crawl = store.last_crawl(self.id, Some(scope))?;
            Ok(crawl.is_some_and(|crawl| crawl.finished.is_some()))
        };
        let complete = finished("whole")?
            || self.window.as_deref().map(finished).transpose()?.unwrap_or_default();
        let missing = if complete {
            Vec::new()
        } else {
            let scope =
                self.window.as_ref().map_or_else(String::new, |window| format!(" {window}"));
            vec![Gap {
                kind: "not-crawled".to_owned(),
                commit: None,
                path: None,
                detail: format!(
                    "not all of it was crawled; `headwater crawl {}{scope}` gets the rest",
                    self.upstream.name
                ),
            }]
        };
        let reported = commits.len() as u64;
        let scope = Scope {
            upstream: self.id,
            name: self.name.clone(),
            commits: &commits,
            reported,
            missing,
        };
        Ok(store.coverage(scope)?)
    }

    /// The coverage with its counts.
    pub fn told(
        &self,
        store: &Store,
        commits: Coverage,
        grade: headwater_store::evidence::Grade,
    ) -> Result<ScopeCoverage, QueryError> {
        let branch = store.branch(self.id, &self.upstream.branch)?;
        let mut fill = Vec::new();
        if commits.gaps().iter().any(|gap| gap.kind == "not-crawled") {
            fill.push(format!("headwater crawl {}", self.upstream.name));
        }
        if commits.gaps().iter().any(|gap| gap.kind == "missing-blob") {
            // What is stored is not read again, so that a gap stays in the store that has it.
            fill.push(format!(
                "headwater --store NEW crawl {} --from-git CLONE, with a clone that has every blob (no --filter)",
                self.upstream.name
            ));
        }
        Ok(ScopeCoverage {
            fill,
            commits,
            patches: self.scoped().map(|commit| u64::from(commit.patches)).sum(),
            bytes: self.scoped().map(|commit| commit.bytes).sum(),
            off_branch: self.off_branch,
            merges: self.merges,
            head: branch.as_ref().map(|(head, _)| *head),
            as_of: branch.map(|(_, seen)| seen),
            grade,
        })
    }

    fn scoped(&self) -> impl Iterator<Item = &ListedCommit> {
        self.list.iter().zip(&self.inside).filter(|(_, inside)| **inside).map(|(commit, _)| commit)
    }
}
