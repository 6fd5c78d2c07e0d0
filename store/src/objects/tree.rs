//! Git's tree objects.

use crate::Oid;

/// One entry of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// Its mode, as git prints it in octal.
    pub mode: u32,
    /// Its name, in bytes.
    pub name: Vec<u8>,
    /// The object, or for a gitlink the commit of another repository.
    pub oid: Oid,
}

impl TreeEntry {
    /// Whether it is a directory.
    pub fn is_tree(&self) -> bool {
        self.mode & 0o170_000 == 0o040_000
    }

    /// Whether it is a gitlink: a submodule's commit.
    pub fn is_gitlink(&self) -> bool {
        self.mode & 0o170_000 == 0o160_000
    }

    /// Whether it is a file or a symbolic link.
    pub fn is_blob(&self) -> bool {
        !self.is_tree() && !self.is_gitlink()
    }
}

/// The entries of a tree object: `mode SP name NUL oid`, one after the other. What does
/// not parse ends the list.
pub(super) fn parse(mut data: &[u8]) -> Vec<TreeEntry> {
    let mut entries = Vec::new();
    while let Some((entry, rest)) = parse_one(data) {
        entries.push(entry);
        data = rest;
    }
    entries
}

fn parse_one(data: &[u8]) -> Option<(TreeEntry, &[u8])> {
    let space = memchr::memchr(b' ', data)?;
    let mode = u32::from_str_radix(std::str::from_utf8(&data[..space]).ok()?, 8).ok()?;
    let rest = &data[space + 1..];
    let nul = memchr::memchr(0, rest)?;
    let oid = Oid::from_slice(rest.get(nul + 1..nul + 21)?)?;
    Some((TreeEntry { mode, name: rest[..nul].to_vec(), oid }, &rest[nul + 21..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_files_trees_and_gitlinks() {
        let mut data = Vec::new();
        for (mode, name) in [("100644", "a b"), ("40000", "dir"), ("160000", "sub")] {
            data.extend_from_slice(format!("{mode} {name}\0").as_bytes());
            data.extend_from_slice(&[7; 20]);
        }
        let entries = parse(&data);
        assert_eq!(entries.len(), 3);
        assert_eq!(entries[0].name, b"a b");
        assert!(entries[0].is_blob() && entries[1].is_tree() && entries[2].is_gitlink());
    }

    proptest::proptest! {
        #[test]
        fn never_panics(data in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            let _ = parse(&data);
        }
    }
}
