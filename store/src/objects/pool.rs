//! What readers of one object store hand on to each other: a running git, and trees. Both
//! are asked for by object id, so that they cannot be of another time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::reader::Process;
use super::tree::TreeEntry;
use crate::Oid;

/// So many processes wait for the next reader.
const IDLE: usize = 4;
/// So many trees are kept at hand.
const TREES: usize = 4096;

/// The entries of a tree.
pub(super) type Entries = Arc<Vec<TreeEntry>>;

/// Of one object store.
#[derive(Default)]
pub(crate) struct Pool {
    idle: Mutex<Vec<Process>>,
    trees: Mutex<HashMap<Oid, Entries>>,
}

impl Pool {
    /// A process that nobody reads from.
    pub(super) fn take(&self) -> Option<Process> {
        self.idle.lock().ok()?.pop()
    }

    /// Keeps a process that has answered all that it was asked.
    pub(super) fn give_back(&self, process: Process) {
        if let Ok(mut idle) = self.idle.lock()
            && idle.len() < IDLE
        {
            idle.push(process);
        }
    }

    /// A tree that somebody read.
    pub(super) fn tree(&self, oid: Oid) -> Option<Entries> {
        self.trees.lock().ok()?.get(&oid).cloned()
    }

    /// Keeps a tree.
    pub(super) fn keep_tree(&self, oid: Oid, entries: &Entries) {
        let Ok(mut trees) = self.trees.lock() else { return };
        if trees.len() >= TREES {
            trees.clear();
        }
        trees.insert(oid, Arc::clone(entries));
    }
}
