//! Which commits a search covers.

use std::collections::HashSet;
use std::sync::Arc;

use globset::GlobSet;
use headwater_store::evidence::{Coverage, Gap};
use headwater_store::upstream::Upstream;
use headwater_store::{CommitId, ListedCommit, Scope, Store, UpstreamId};
use regex::RegexBuilder;

use super::answer::ScopeCoverage;
use super::request::Filter;
use crate::QueryError;
use crate::window::{Resolver, span};

/// The commits of one upstream, and which of them count.
pub(crate) struct Commits<'a> {
    pub upstream: &'a Upstream,
    pub id: UpstreamId,
    /// All that are stored, by row.
    pub list: Arc<[ListedCommit]>,
    /// Whether each is in scope.
    pub inside: Vec<bool>,
    /// The paths that count, where not all do.
    globs: Option<GlobSet>,
    name: String,
    window: Option<Windowed>,
    off_branch: u64,
    merges: u64,
}

/// A window that a search is kept to.
struct Windowed {
    /// `ollama v1..v2`.
    name: String,
    /// How many commits it has.
    counted: u64,
    /// What is not certain of it.
    gaps: Vec<Gap>,
}

impl<'a> Commits<'a> {
    /// The commits of each upstream that a filter leaves.
    pub fn each(
        store: &Store,
        filter: &Filter,
        upstreams: &[&'a Upstream],
    ) -> Result<Vec<Self>, QueryError> {
        let of = |upstream: &&'a Upstream| match Self::of(store, filter, upstream) {
            Err(error @ QueryError::UnknownRevision { .. }) if upstreams.len() > 1 => {
                Err(whose(store, filter, upstreams, error))
            }
            other => other,
        };
        upstreams.iter().map(of).collect()
    }

    fn of(store: &Store, filter: &Filter, upstream: &'a Upstream) -> Result<Self, QueryError> {
        let id = store.upstream(&upstream.name)?;
        let list = store.commit_list(id)?;
        let mut name = upstream.name.clone();
        let window = match &filter.window {
            None => None,
            Some(spec) => {
                let span = span(store, upstream, spec)?;
                name = span.name(upstream);
                let ids: HashSet<CommitId> = span.ids().into_iter().collect();
                let (counted, gaps) = span.counted(store, upstream)?;
                Some((ids, Windowed { name: name.clone(), counted, gaps }))
            }
        };
        let authors = match &filter.author {
            None => None,
            Some(author) => {
                let regex = RegexBuilder::new(author)
                    .build()
                    .map_err(|e| QueryError::Pattern(format!("the author {author:?}: {e}")))?;
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
        let globs = filter.globs()?;
        let (mut off_branch, mut merges) = (0, 0);
        let inside = list
            .iter()
            .map(|commit| {
                let in_window = window.as_ref().map(|(ids, _)| ids.contains(&commit.id));
                if commit.merge && !filter.merges {
                    // Of a window only its own merges are left out.
                    merges += u64::from(in_window != Some(false));
                    return false;
                }
                let placed = match in_window {
                    Some(inside) => inside,
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
        let window = window.map(|(_, window)| window);
        Ok(Self { upstream, id, list, inside, globs, name, window, off_branch, merges })
    }

    /// The place of a commit's row in the list.
    pub fn place(&self, id: u32) -> Option<usize> {
        let id = i64::from(id);
        self.list.binary_search_by_key(&id, |commit| commit.id.row()).ok()
    }

    /// What was searched, and what of it is missing.
    pub fn coverage(&self, store: &Store) -> Result<Coverage, QueryError> {
        let commits: Vec<CommitId> = self.scoped().map(|commit| commit.id).collect();
        let stored = commits.len() as u64;
        let (reported, missing) = match &self.window {
            Some(window) if window.gaps.is_empty() => (stored, Vec::new()),
            // Other filters may leave few of them: the count is the window's.
            Some(window) => (stored.max(window.counted), window.gaps.clone()),
            None => (stored, self.not_crawled(store)?.into_iter().collect()),
        };
        let scope = Scope {
            upstream: self.id,
            name: self.name.clone(),
            commits: &commits,
            reported,
            missing,
        };
        // A gap of a file that is not asked for leaves nothing open.
        Ok(store.coverage_of(scope, |path| path.is_none_or(|path| self.path_counts(path)))?)
    }

    /// That not all of history is stored, where that is so.
    fn not_crawled(&self, store: &Store) -> Result<Option<Gap>, QueryError> {
        if store.has_crawled(self.id, "whole")? {
            return Ok(None);
        }
        Ok(Some(Gap {
            kind: "not-crawled".to_owned(),
            commit: None,
            path: None,
            detail: format!(
                "not all of it is stored; `headwater clone {}` gets the rest",
                self.upstream.name
            ),
        }))
    }

    fn path_counts(&self, path: &str) -> bool {
        self.globs.as_ref().is_none_or(|globs| globs.is_match(path))
    }

    /// How many texts are in scope, and how long they are together.
    fn texts(&self, store: &Store) -> Result<(u64, u64), QueryError> {
        if self.globs.is_none() {
            let patches = self.scoped().map(|commit| u64::from(commit.patches)).sum();
            return Ok((patches, self.scoped().map(|commit| commit.bytes).sum()));
        }
        let commits: HashSet<CommitId> = self.scoped().map(|commit| commit.id).collect();
        Ok(store.texts_at_paths(&commits, |path| self.path_counts(path))?)
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
            fill.push(format!("headwater clone {}", self.upstream.name));
        }
        let count = ["count-unknown", "count-differs", "history-cut"];
        if let Some(window) = &self.window
            && commits.gaps().iter().any(|gap| count.contains(&gap.kind.as_str()))
        {
            fill.push(format!("headwater crawl {}", window.name));
        }
        if commits.gaps().iter().any(|gap| gap.kind == "missing-blob") {
            // What is stored is not read again, so that a gap stays in the store that has it.
            fill.push(format!(
                "headwater --store NEW crawl {} --from-git CLONE, with a clone that has every blob (no --filter)",
                self.upstream.name
            ));
        }
        if commits.gaps().iter().any(|gap| gap.kind == "unproven-commit") {
            let what = self.window.as_ref().map_or_else(
                || format!("clone {}", self.upstream.name),
                |window| format!("crawl {}", window.name),
            );
            fill.push(format!("headwater --store NEW {what}, by git"));
        }
        let (patches, bytes) = self.texts(store)?;
        Ok(ScopeCoverage {
            fill,
            commits,
            patches,
            bytes,
            off_branch: self.off_branch,
            merges: self.merges,
            head: branch.as_ref().map(|(head, _)| *head),
            as_of: branch.map(|(_, seen)| seen),
            grade,
        })
    }

    pub fn scoped(&self) -> impl Iterator<Item = &ListedCommit> {
        self.list.iter().zip(&self.inside).filter(|(_, inside)| **inside).map(|(commit, _)| commit)
    }
}

/// A window's end that one upstream lacks: those that have both ends are told.
fn whose(store: &Store, filter: &Filter, upstreams: &[&Upstream], error: QueryError) -> QueryError {
    let (QueryError::UnknownRevision { upstream, name, .. }, Some(window)) =
        (&error, &filter.window)
    else {
        return error;
    };
    let has = |upstream: &&&Upstream| {
        let resolver = Resolver::new(store, upstream);
        resolver.is_ok_and(|r| r.resolve(&window.base).is_ok() && r.resolve(&window.head).is_ok())
    };
    let having: Vec<String> = upstreams.iter().filter(has).map(|u| u.name.clone()).collect();
    if having.is_empty() {
        return error;
    }
    QueryError::WindowOfAnother {
        window: window.to_string(),
        upstream: upstream.clone(),
        name: name.clone(),
        having: having
            .iter()
            .map(|name| format!("`--upstream {name}`"))
            .collect::<Vec<_>>()
            .join(" or "),
    }
}
