//! A small language for histories: commits with names, written one after the other,
//! that become a fast-import stream.

mod draft;
mod stream;
mod tree;

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, FixedOffset, TimeDelta};

use crate::DemoError;
pub use draft::{Draft, Person};
use tree::Tree;

/// A commit as it will be written.
#[derive(Debug, Clone)]
struct Written {
    parents: Vec<usize>,
    author: (Person, DateTime<FixedOffset>),
    committer: (Person, DateTime<FixedOffset>),
    message: Vec<u8>,
    encoding: Option<&'static str>,
    tree: Tree,
}

/// What a reference becomes.
#[derive(Debug, Clone)]
enum RefChange {
    /// It names this commit from now on.
    Set { name: String, commit: usize },
    /// A tag object of this message names the commit.
    Annotated { tag: String, commit: usize, when: DateTime<FixedOffset>, message: String },
    /// It is gone.
    Delete { name: String },
}

/// A history in the making. Commits go on from where the last one ended, or from
/// where [`History::from`] says; the first mistake is kept and told at the end.
#[derive(Debug, Clone)]
pub struct History {
    branch: String,
    commits: Vec<Written>,
    names: BTreeMap<String, usize>,
    tip: Option<usize>,
    clock: DateTime<FixedOffset>,
    sent: usize,
    refs: Vec<RefChange>,
    problem: Option<String>,
    problem_at: String,
}

impl History {
    /// An empty history whose default branch has this name.
    pub fn new(branch: &str) -> Self {
        History {
            branch: branch.to_owned(),
            commits: Vec::new(),
            names: BTreeMap::new(),
            tip: None,
            clock: DateTime::UNIX_EPOCH.fixed_offset(),
            sent: 0,
            refs: Vec::new(),
            problem: None,
            problem_at: String::new(),
        }
    }

    /// Sets the time (RFC 3339) from which the next commits count, 47 minutes each.
    pub fn clock(&mut self, time: &str) -> &mut Self {
        match DateTime::parse_from_rfc3339(time) {
            Ok(time) => self.clock = time,
            Err(why) => self.fail("clock", format!("{time:?} is no time: {why}")),
        }
        self
    }

    /// Goes on from the commit of this name.
    pub fn from(&mut self, name: &str) -> &mut Self {
        if let Some(at) = self.find(name) {
            self.tip = Some(at);
        }
        self
    }

    /// Writes a commit: `name` is for finding it again, `write` says what it changes.
    pub fn commit(
        &mut self,
        name: &str,
        subject: &str,
        write: impl FnOnce(&mut Draft),
    ) -> &mut Self {
        self.clock += TimeDelta::minutes(47);
        let tree = self.tip.and_then(|tip| self.commits.get(tip)).map(|c| c.tree.clone());
        let mut draft = Draft::new(subject, tree.unwrap_or_default(), self.clock);
        write(&mut draft);
        if let Some(why) = draft.problem.take() {
            self.fail(name, why);
        }
        let mut parents: Vec<usize> = self.tip.into_iter().collect();
        for other in std::mem::take(&mut draft.merged) {
            let Some(other) = self.find(&other) else { continue };
            let fork = self.fork(other);
            let base = fork.and_then(|at| self.commits.get(at)).map(|c| c.tree.clone());
            if let Some(theirs) = self.commits.get(other) {
                draft.tree.take_changes(&base.unwrap_or_default(), &theirs.tree);
            }
            parents.push(other);
        }
        self.clock = draft.committed;
        if self.names.insert(name.to_owned(), self.commits.len()).is_some() {
            self.fail(name, "another commit has this name".to_owned());
        }
        self.tip = Some(self.commits.len());
        self.commits.push(draft.finish(parents));
        self
    }

    /// A lightweight tag on the last commit.
    pub fn tag(&mut self, tag: &str) -> &mut Self {
        if let Some(commit) = self.tip {
            self.refs.push(RefChange::Set { name: format!("refs/tags/{tag}"), commit });
        }
        self
    }

    /// A tag object on the last commit.
    pub fn annotated_tag(&mut self, tag: &str, message: &str) -> &mut Self {
        if let Some(commit) = self.tip {
            let when = self.clock + TimeDelta::minutes(5);
            let (tag, message) = (tag.to_owned(), message.to_owned());
            self.refs.push(RefChange::Annotated { tag, commit, when, message });
        }
        self
    }

    /// Removes a tag.
    pub fn delete_tag(&mut self, tag: &str) -> &mut Self {
        self.refs.push(RefChange::Delete { name: format!("refs/tags/{tag}") });
        self
    }

    /// Tags every commit of the line that ends here with `prefix` and the count of
    /// commits reachable from it, as llama.cpp numbers its builds; `missing` numbers
    /// get none.
    pub fn tag_builds(&mut self, prefix: &str, missing: &[usize]) -> &mut Self {
        let mut at = self.tip;
        let mut tags = Vec::new();
        while let Some(commit) = at {
            let number = self.reachable(commit).len();
            if !missing.contains(&number) {
                let name = format!("refs/tags/{prefix}{number}");
                tags.push(RefChange::Set { name, commit });
            }
            at = self.commits.get(commit).and_then(|c| c.parents.first().copied());
        }
        self.refs.extend(tags.into_iter().rev());
        self
    }

    /// The default branch ends at the last commit.
    pub fn branch_here(&mut self) -> &mut Self {
        if let Some(commit) = self.tip {
            let name = format!("refs/heads/{}", self.branch);
            self.refs.push(RefChange::Set { name, commit });
        }
        self
    }

    /// The default branch's name.
    pub fn branch(&self) -> &str {
        &self.branch
    }

    /// The names of all commits with their marks in the stream.
    pub(crate) fn marks(&self) -> impl Iterator<Item = (&str, usize)> {
        self.names.iter().map(|(name, at)| (name.as_str(), at + 1))
    }

    /// The fast-import stream of all that was not yet rendered.
    pub(crate) fn render(&mut self) -> Result<Vec<u8>, DemoError> {
        if let Some(why) = self.problem.take() {
            return Err(DemoError::History { commit: self.problem_at.clone(), why });
        }
        let stream = stream::render(&self.commits, self.sent, &self.refs);
        self.sent = self.commits.len();
        self.refs.clear();
        Ok(stream)
    }

    fn find(&mut self, name: &str) -> Option<usize> {
        let found = self.names.get(name).copied();
        if found.is_none() {
            self.fail(name, "no commit of that name was written before".to_owned());
        }
        found
    }

    fn reachable(&self, from: usize) -> BTreeSet<usize> {
        let mut seen = BTreeSet::new();
        let mut todo = vec![from];
        while let Some(at) = todo.pop() {
            if seen.insert(at) {
                todo.extend(self.commits.get(at).into_iter().flat_map(|c| &c.parents));
            }
        }
        seen
    }

    /// Where the line of `other` left that of the tip.
    fn fork(&self, other: usize) -> Option<usize> {
        let ours = self.reachable(self.tip?);
        let mut at = Some(other);
        while let Some(commit) = at {
            if ours.contains(&commit) {
                return Some(commit);
            }
            at = self.commits.get(commit).and_then(|c| c.parents.first().copied());
        }
        None
    }

    fn fail(&mut self, commit: &str, why: String) {
        if self.problem.is_none() {
            self.problem = Some(why);
            self.problem_at = commit.to_owned();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_in_a_history_is_told_with_its_commit() {
        let mut history = History::new("main");
        history.commit("one", "first", |c| {
            c.write("a", "x\n");
        });
        history.commit("two", "second", |c| {
            c.edit("a", "y", "z");
        });
        let error = history.render().unwrap_err().to_string();
        assert!(error.contains("\"two\"") && error.contains("\"y\""), "{error}");

        let mut history = History::new("main");
        history.from("nowhere");
        assert!(history.render().is_err());
    }

    #[test]
    fn build_numbers_count_what_is_reachable() {
        let mut history = History::new("main");
        history.commit("one", "1", |_| {}).commit("side", "2", |_| {});
        history.from("one").commit("two", "3", |_| {}).commit("merge", "4", |c| {
            c.merge("side");
        });
        history.tag_builds("b", &[2]);
        let text = String::from_utf8(history.render().unwrap()).unwrap();
        assert!(text.contains("reset refs/tags/b1\nfrom :1\n"), "{text}");
        assert!(text.contains("reset refs/tags/b4\nfrom :4\n"), "{text}");
        assert!(!text.contains("refs/tags/b2\n"), "{text}");
    }
}
