//! Trees made by git in the object store: from a list of entries, or from another tree
//! and a patch. Files need not be there.

use std::collections::BTreeMap;
use std::path::PathBuf;

use headwater_store::Oid;
use headwater_store::git::{self, GitError};
use headwater_store::objects::ObjectStore;

/// An index of headwater's own beside an object store.
pub(super) struct Index<'a> {
    objects: &'a ObjectStore,
    file: PathBuf,
    /// The tree that stands in it.
    tree: Option<Oid>,
}

/// An entry of a tree, as it is listed: its mode, type, id and whole path.
#[derive(Debug, Clone, serde::Deserialize)]
pub(super) struct Entry {
    pub(super) path: String,
    pub(super) mode: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) sha: String,
}

impl<'a> Index<'a> {
    pub(super) fn new(objects: &'a ObjectStore) -> Self {
        Index { objects, file: objects.dir().join("headwater-index"), tree: None }
    }

    /// The tree that a patch makes of another one, or of nothing; none where it does not
    /// fit.
    pub(super) fn patched(
        &mut self,
        tree: Option<Oid>,
        patch: &[u8],
    ) -> Result<Option<Oid>, GitError> {
        if self.tree.is_none() || self.tree != tree {
            let from = tree.map_or_else(|| "--empty".to_owned(), |tree| tree.to_string());
            self.run(&["read-tree", &from], Vec::new())?;
        }
        self.tree = None;
        let made = self
            .run(&["apply", "--cached", "--whitespace=nowarn", "-p1", "-"], patch.to_vec())
            .and_then(|_| self.run(&["write-tree", "--missing-ok"], Vec::new()));
        match made {
            Ok(printed) => {
                self.tree = String::from_utf8_lossy(&printed).trim().parse().ok();
                Ok(self.tree)
            }
            Err(GitError::Failed { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn run(&self, args: &[&str], input: Vec<u8>) -> Result<Vec<u8>, GitError> {
        let mut command = git::git(self.objects.dir());
        command.env("GIT_INDEX_FILE", &self.file).args(args);
        git::finish_with_input(command, self.objects.dir(), args[0], input)
    }
}

impl Drop for Index<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

/// Makes the tree `root` and all below it of its entries; tells whether each has the id
/// that it should have.
pub(super) fn planted(
    objects: &ObjectStore,
    root: Oid,
    entries: &[Entry],
) -> Result<bool, GitError> {
    let mut folders: BTreeMap<&str, Vec<u8>> = BTreeMap::from([("", Vec::new())]);
    let mut ids: BTreeMap<&str, String> = BTreeMap::from([("", root.to_string())]);
    for entry in entries {
        let Entry { path, mode, kind, sha } = entry;
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if name.is_empty() || format!("{mode}{kind}{sha}{name}").contains('\0') {
            return Ok(false);
        }
        let line = format!("{mode} {kind} {sha}\t{name}\0");
        folders.entry(folder).or_default().extend_from_slice(line.as_bytes());
        if kind == "tree" {
            folders.entry(path).or_default();
            ids.insert(path, sha.clone());
        }
    }
    let mut input = Vec::new();
    for lines in folders.values() {
        input.extend_from_slice(lines);
        input.push(0);
    }
    let args = ["mktree", "-z", "--missing", "--batch"];
    let printed = match git::output_with_input(objects.dir(), &args, input) {
        Ok(printed) => printed,
        Err(GitError::Failed { .. }) => return Ok(false),
        Err(error) => return Err(error),
    };
    let text = String::from_utf8_lossy(&printed);
    let made: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> =
        folders.keys().map(|folder| ids.get(folder).map_or("", String::as_str)).collect();
    Ok(made == wanted)
}
