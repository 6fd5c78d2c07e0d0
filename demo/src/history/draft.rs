//! One commit while it is written.

use chrono::{DateTime, FixedOffset};

use super::Written;
use super::tree::{self, Tree};

/// An author or committer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Person {
    /// The name; may be empty.
    pub name: &'static str,
    /// The mail address.
    pub email: &'static str,
}

/// The bot that commits what nobody else claims.
const BOT: Person = Person { name: "Mill Race", email: "mill@miniature.example" };

/// A commit in the making: who, when, what.
#[derive(Debug)]
pub struct Draft {
    subject: String,
    body: Option<String>,
    author: Person,
    committer: Option<Person>,
    authored: Option<DateTime<FixedOffset>>,
    latin1: bool,
    pub(super) committed: DateTime<FixedOffset>,
    pub(super) tree: Tree,
    pub(super) merged: Vec<String>,
    pub(super) problem: Option<String>,
}

impl Draft {
    pub(super) fn new(subject: &str, tree: Tree, now: DateTime<FixedOffset>) -> Self {
        Draft {
            subject: subject.to_owned(),
            body: None,
            author: BOT,
            committer: None,
            authored: None,
            latin1: false,
            committed: now,
            tree,
            merged: Vec::new(),
            problem: None,
        }
    }

    /// Who wrote it (and committed it, unless [`Draft::committed_by`] says otherwise).
    pub fn by(&mut self, person: Person) -> &mut Self {
        self.author = person;
        self
    }

    /// Who committed it.
    pub fn committed_by(&mut self, person: Person) -> &mut Self {
        self.committer = Some(person);
        self
    }

    /// When it was committed (RFC 3339); later commits count from here.
    pub fn at(&mut self, time: &str) -> &mut Self {
        if let Some(time) = self.time(time) {
            self.committed = time;
        }
        self
    }

    /// When it was written, where that was not when it was committed.
    pub fn authored(&mut self, time: &str) -> &mut Self {
        self.authored = self.time(time);
        self
    }

    /// The message after the subject.
    pub fn body(&mut self, text: &str) -> &mut Self {
        self.body = Some(text.to_owned());
        self
    }

    /// Message and names are stored in ISO-8859-1, with the header that says so.
    pub fn latin1(&mut self) -> &mut Self {
        self.latin1 = true;
        self
    }

    /// Merges the line that ends in the commit of this name.
    pub fn merge(&mut self, name: &str) -> &mut Self {
        self.merged.push(name.to_owned());
        self
    }

    /// Writes a whole text file.
    pub fn write(&mut self, path: &str, text: &str) -> &mut Self {
        self.bytes(path, text.as_bytes())
    }

    /// Writes a whole file of any bytes.
    pub fn bytes(&mut self, path: &str, data: &[u8]) -> &mut Self {
        self.tree.put(path, tree::FILE, data);
        self
    }

    /// Replaces the one place in a text file that reads `old`.
    pub fn edit(&mut self, path: &str, old: &str, new: &str) -> &mut Self {
        let text = match self.tree.0.get(path).map(|e| String::from_utf8(e.data.to_vec())) {
            Some(Ok(text)) => text,
            Some(Err(_)) => return self.fail(format!("{path} is no text")),
            None => return self.fail(format!("there is no {path} to edit")),
        };
        match text.matches(old).count() {
            1 => self.write(path, &text.replacen(old, new, 1)),
            n => self.fail(format!("{path} holds {old:?} {n} times instead of once")),
        }
    }

    /// Removes a file.
    pub fn delete(&mut self, path: &str) -> &mut Self {
        if self.tree.0.remove(path).is_none() {
            return self.fail(format!("there is no {path} to delete"));
        }
        self
    }

    /// Removes every file below a folder.
    pub fn delete_under(&mut self, folder: &str) -> &mut Self {
        let before = self.tree.0.len();
        self.tree.0.retain(|path, _| !path.starts_with(folder));
        if self.tree.0.len() == before {
            return self.fail(format!("nothing is below {folder}"));
        }
        self
    }

    /// Moves a file; edits may follow.
    pub fn rename(&mut self, from: &str, to: &str) -> &mut Self {
        match self.tree.0.remove(from) {
            Some(entry) => {
                self.tree.0.insert(to.to_owned(), entry);
                self
            }
            None => self.fail(format!("there is no {from} to rename")),
        }
    }

    /// Makes a file executable, and changes nothing else.
    pub fn make_executable(&mut self, path: &str) -> &mut Self {
        match self.tree.0.get_mut(path) {
            Some(entry) => {
                entry.mode = tree::EXECUTABLE;
                self
            }
            None => self.fail(format!("there is no {path} to make executable")),
        }
    }

    /// Puts a symbolic link, in the place of a file if there is one.
    pub fn symlink(&mut self, path: &str, target: &str) -> &mut Self {
        self.tree.put(path, tree::LINK, target.as_bytes());
        self
    }

    /// Puts a gitlink (a submodule at a commit).
    pub fn gitlink(&mut self, path: &str, sha: &str) -> &mut Self {
        self.tree.put(path, tree::GITLINK, sha.as_bytes());
        self
    }

    pub(super) fn finish(self, parents: Vec<usize>) -> Written {
        let mut message = self.subject;
        if let Some(body) = self.body {
            message.push_str("\n\n");
            message.push_str(&body);
        }
        // Git ends every message that people write in a line feed; an empty one stays empty.
        if !message.is_empty() && !message.ends_with('\n') {
            message.push('\n');
        }
        let message = if self.latin1 {
            message.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect()
        } else {
            message.into_bytes()
        };
        Written {
            parents,
            author: (self.author, self.authored.unwrap_or(self.committed)),
            committer: (self.committer.unwrap_or(self.author), self.committed),
            message,
            encoding: self.latin1.then_some("ISO-8859-1"),
            tree: self.tree,
        }
    }

    fn time(&mut self, text: &str) -> Option<DateTime<FixedOffset>> {
        match DateTime::parse_from_rfc3339(text) {
            Ok(time) => Some(time),
            Err(why) => {
                self.fail(format!("{text:?} is no time: {why}"));
                None
            }
        }
    }

    fn fail(&mut self, why: String) -> &mut Self {
        self.problem.get_or_insert(why);
        self
    }
}
