//! Reading objects by id through one long-lived `git cat-file --batch`.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::Arc;

use super::pool::Entries;
use super::tree::{self, TreeEntry};
use super::{ObjectStore, git};
use crate::git::GitError;
use crate::{Oid, StoreError};

/// Objects larger than this are refused: none that an answer reads is near it.
const LARGEST: u64 = 256 << 20;

/// A reader of one object store. Replace refs are not honoured: what stands in for a
/// missing object is never read.
pub struct ObjectReader {
    store: ObjectStore,
    /// Started by the first object that is asked for: many questions need none.
    process: Option<Process>,
    trees: HashMap<Oid, Entries>,
}

/// A running `git cat-file --batch`.
pub(super) struct Process {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Process {
    fn start(store: &ObjectStore) -> Result<Self, StoreError> {
        let mut command = git::git(store.dir());
        command
            .args(["cat-file", "--batch"])
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().map_err(GitError::Start)?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(unreadable("no pipes").into());
        };
        Ok(Process { child, stdin, stdout: BufReader::with_capacity(1 << 16, stdout) })
    }

    /// The bytes of an object and its type, or `None` where the store lacks it.
    fn object(&mut self, oid: Oid) -> Result<Option<(String, Vec<u8>)>, GitError> {
        let io = |e: std::io::Error| unreadable(&e.to_string());
        writeln!(self.stdin, "{oid}").and_then(|()| self.stdin.flush()).map_err(io)?;
        let mut header = String::new();
        self.stdout.read_line(&mut header).map_err(io)?;
        let mut words = header.trim_end().split(' ').skip(1);
        let (kind, size) = match (words.next(), words.next()) {
            (Some("missing"), _) => return Ok(None),
            (Some(kind), Some(size)) => (kind.to_owned(), size.parse::<u64>()),
            _ => return Err(unreadable(&format!("the header {header:?}"))),
        };
        let size = size.map_err(|e| unreadable(&e.to_string()))?;
        if size > LARGEST {
            return Err(unreadable(&format!("object {oid} has {size} bytes")));
        }
        let mut data = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
        let read = self.stdout.by_ref().take(size + 1).read_to_end(&mut data).map_err(io)?;
        if read as u64 != size + 1 || data.pop() != Some(b'\n') {
            return Err(unreadable("an object was cut short"));
        }
        Ok(Some((kind, data)))
    }
}

impl ObjectReader {
    pub(super) fn new(store: &ObjectStore) -> Self {
        ObjectReader { store: store.clone(), process: None, trees: HashMap::new() }
    }

    /// The bytes of an object and its type, or `None` where the store lacks it.
    ///
    /// # Errors
    /// Where git cannot be started, dies, or answers what it never should, and
    /// [`StoreError::GivenUp`].
    pub fn object(&mut self, oid: Oid) -> Result<Option<(String, Vec<u8>)>, StoreError> {
        if !self.store.progress.is_wanted() {
            return Err(StoreError::GivenUp);
        }
        // One that waited for long may have died since.
        if self.process.is_none()
            && let Some(mut idle) = self.store.pool.as_ref().and_then(|pool| pool.take())
            && let Ok(object) = idle.object(oid)
        {
            self.process = Some(idle);
            return Ok(object);
        }
        // One that fails in the midst of an answer is asked nothing more.
        let mut git = match self.process.take() {
            Some(running) => running,
            None => Process::start(&self.store)?,
        };
        let object = git.object(oid)?;
        self.process = Some(git);
        Ok(object)
    }

    /// The bytes of a blob, or `None` where the store lacks it.
    ///
    /// # Errors
    /// As [`Self::object`].
    pub fn blob(&mut self, oid: Oid) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.object(oid)?.filter(|(kind, _)| kind == "blob").map(|(_, data)| data))
    }

    /// The entries of a tree.
    ///
    /// # Errors
    /// [`StoreError::NoObject`] where the store lacks it.
    pub fn tree(&mut self, oid: Oid) -> Result<Arc<Vec<TreeEntry>>, StoreError> {
        if let Some(known) = self.trees.get(&oid) {
            return Ok(Arc::clone(known));
        }
        let shared = self.store.pool.as_ref().and_then(|pool| pool.tree(oid));
        let entries = match shared {
            Some(known) => known,
            None => self.read_tree(oid)?,
        };
        if self.trees.len() > 20_000 {
            self.trees.clear();
        }
        self.trees.insert(oid, Arc::clone(&entries));
        Ok(entries)
    }

    fn read_tree(&mut self, oid: Oid) -> Result<Entries, StoreError> {
        let entries = match self.object(oid)? {
            Some((kind, data)) if kind == "tree" => Arc::new(tree::parse(&data)),
            _ => return Err(self.store.no_object(oid)),
        };
        if let Some(pool) = &self.store.pool {
            pool.keep_tree(oid, &entries);
        }
        Ok(entries)
    }

    /// The entry at `path` in the tree `root`, if there is one.
    ///
    /// # Errors
    /// Where a tree on the way is not in the store.
    pub fn entry(&mut self, root: Oid, path: &str) -> Result<Option<TreeEntry>, StoreError> {
        let mut tree = root;
        let mut parts = path.split('/').peekable();
        while let Some(part) = parts.next() {
            let entries = self.tree(tree)?;
            let Some(entry) = entries.iter().find(|e| e.name == part.as_bytes()) else {
                return Ok(None);
            };
            if parts.peek().is_none() {
                return Ok(Some(entry.clone()));
            }
            if !entry.is_tree() {
                return Ok(None);
            }
            tree = entry.oid;
        }
        Ok(None)
    }

    /// The file at `path` in the tree `root`: its bytes, or `None` where the tree has no
    /// file there.
    ///
    /// # Errors
    /// [`StoreError::NoObject`] where the tree has it and the store lacks it.
    pub fn file(&mut self, root: Oid, path: &str) -> Result<Option<Vec<u8>>, StoreError> {
        match self.entry(root, path)? {
            Some(entry) if entry.is_blob() => match self.blob(entry.oid)? {
                Some(data) => Ok(Some(data)),
                None => Err(self.store.no_object(entry.oid)),
            },
            _ => Ok(None),
        }
    }

    /// Every file below the tree `root` with its path, in git's order.
    ///
    /// # Errors
    /// Where a tree is not in the store.
    pub fn files(&mut self, root: Oid) -> Result<Vec<(String, TreeEntry)>, StoreError> {
        let mut found = Vec::new();
        self.walk(root, "", &mut found)?;
        Ok(found)
    }

    fn walk(
        &mut self,
        tree: Oid,
        prefix: &str,
        found: &mut Vec<(String, TreeEntry)>,
    ) -> Result<(), StoreError> {
        for entry in self.tree(tree)?.iter() {
            let path = format!("{prefix}{}", String::from_utf8_lossy(&entry.name));
            if entry.is_tree() {
                self.walk(entry.oid, &format!("{path}/"), found)?;
            } else {
                found.push((path, entry.clone()));
            }
        }
        Ok(())
    }
}

impl Drop for ObjectReader {
    fn drop(&mut self) {
        if let (Some(process), Some(pool)) = (self.process.take(), &self.store.pool) {
            pool.give_back(process);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Its standard input is still open, so it would wait for ever.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn unreadable(detail: &str) -> GitError {
    GitError::Unreadable { what: "cat-file --batch".to_owned(), detail: detail.to_owned() }
}
