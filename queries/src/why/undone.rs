//! Changes that are taken back within the window, told by their files: whatever a revert's
//! message says, it puts the old contents back.

use std::collections::{HashMap, HashSet};

use headwater_store::Oid;
use headwater_store::StoredPatch;
use headwater_store::model::FileChange;

/// The part of the files of either commit that must come back. Not all: other changes come
/// between, and a revert leaves what they need.
const MOST: f64 = 0.9;

/// Commits that are undone within the window, and those that undo them, each with the other.
pub(super) fn pairs<'w>(patches: impl IntoIterator<Item = &'w StoredPatch>) -> HashMap<Oid, Oid> {
    let changed: Vec<(Oid, &[FileChange])> = patches
        .into_iter()
        .filter(|patch| !patch.stored().commit().is_merge())
        .map(|patch| (patch.stored().commit().oid, patch.patch().files.as_slice()))
        .filter(|(_, files)| !files.is_empty())
        .collect();
    let mut by_content: HashMap<(Oid, Oid), Vec<usize>> = HashMap::new();
    for (at, (_, files)) in changed.iter().enumerate() {
        for file in *files {
            by_content.entry((file.old_blob, file.new_blob)).or_default().push(at);
        }
    }
    let mut out = HashMap::new();
    for (at, (oid, files)) in changed.iter().enumerate() {
        let back = files.iter().filter_map(|f| by_content.get(&(f.new_blob, f.old_blob)));
        let others: HashSet<usize> = back.flatten().copied().filter(|other| *other != at).collect();
        for other in others {
            let Some((other_oid, other_files)) = changed.get(other) else { continue };
            if is_undone(files, other_files) {
                out.insert(*oid, *other_oid);
            }
        }
    }
    out
}

/// Whether nearly all of the larger change's files come back to what they were.
fn is_undone(one: &[FileChange], other: &[FileChange]) -> bool {
    let undone: HashSet<(&str, Oid, Oid)> =
        other.iter().map(|f| (f.path.as_str(), f.new_blob, f.old_blob)).collect();
    let same = one
        .iter()
        .filter(|f| {
            let before = f.old_path.as_deref().unwrap_or(&f.path);
            [f.path.as_str(), before]
                .iter()
                .any(|path| undone.contains(&(*path, f.old_blob, f.new_blob)))
        })
        .count();
    let most = one.len().max(other.len());
    // Counts of files are far below 2^52.
    #[allow(clippy::cast_precision_loss)]
    let part = same as f64 / most as f64;
    part >= MOST
}

#[cfg(test)]
mod tests {
    use headwater_store::model::ChangeStatus;

    use super::*;

    fn file(path: &str, old: u8, new: u8) -> FileChange {
        FileChange {
            path: path.to_owned(),
            old_blob: Oid::from_bytes([old; 20]),
            new_blob: Oid::from_bytes([new; 20]),
            old_path: None,
            status: ChangeStatus::Modified,
            old_mode: 0o100_644,
            new_mode: 0o100_644,
            added: 1,
            deleted: 1,
            binary: false,
            gap: false,
            hunks: Vec::new(),
        }
    }

    #[test]
    fn a_change_that_is_taken_back_in_most_files_is_undone_and_no_other() {
        let change: Vec<FileChange> =
            (0..20).map(|n| file(&format!("f{n}"), 2 * n + 1, 2 * n + 2)).collect();
        let mut back: Vec<FileChange> =
            (0..20).map(|n| file(&format!("f{n}"), 2 * n + 2, 2 * n + 1)).collect();
        assert!(is_undone(&change, &back));
        back.pop();
        assert!(is_undone(&change, &back), "one file was changed between");
        back.truncate(10);
        assert!(!is_undone(&change, &back), "half of it stays");
        assert!(!is_undone(&change, &change));
    }
}
