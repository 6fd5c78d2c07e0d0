//! The files of one commit.

use std::collections::BTreeMap;
use std::sync::Arc;

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Git's mode, as fast-import writes it.
    pub mode: &'static str,
    /// The content; for a gitlink, the commit's hexadecimal id.
    pub data: Arc<[u8]>,
}

/// The mode of an ordinary file.
pub(super) const FILE: &str = "100644";
/// The mode of an executable file.
pub(super) const EXECUTABLE: &str = "100755";
/// The mode of a symbolic link.
pub(super) const LINK: &str = "120000";
/// The mode of a submodule.
pub(super) const GITLINK: &str = "160000";

/// Every path with what stands there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tree(pub BTreeMap<String, Entry>);

impl Tree {
    /// Puts an entry; the mode of a file that is there already stays.
    pub fn put(&mut self, path: &str, mode: &'static str, data: &[u8]) {
        let mode = match self.0.get(path) {
            Some(old) if mode == FILE && old.mode == EXECUTABLE => EXECUTABLE,
            _ => mode,
        };
        self.0.insert(path.to_owned(), Entry { mode, data: data.into() });
    }

    /// Takes what changed from `base` to `theirs`, as a merge without conflicts does.
    pub fn take_changes(&mut self, base: &Tree, theirs: &Tree) {
        for (path, entry) in &theirs.0 {
            if base.0.get(path) != Some(entry) {
                self.0.insert(path.clone(), entry.clone());
            }
        }
        for path in base.0.keys() {
            if !theirs.0.contains_key(path) {
                self.0.remove(path);
            }
        }
    }
}
