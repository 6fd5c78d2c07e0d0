//! Changes that are taken back within the window, told by their files: whatever a revert's
//! message says, it puts the old contents back.

use std::collections::{HashMap, HashSet};

use headwater_store::Oid;
use headwater_store::StoredPatch;
use headwater_store::model::{CommitPatch, FileChange, Side};
use headwater_store::objects::ObjectReader;

use super::collect::Collected;
use super::known::Known;
use super::report::Verdict;
use super::verdict::Judged;
use crate::QueryError;
use crate::classify::Syntax;

/// The part of the files of either commit that must come back. Not all: other changes come
/// between, and a revert leaves what they need.
const MOST: f64 = 0.9;

/// Commits that are undone within the window, and those that undo them, each with the other.
/// A change that is taken back and made again is not undone: its second making has no pair.
pub(super) fn pairs<'w>(patches: impl IntoIterator<Item = &'w StoredPatch>) -> HashMap<Oid, Oid> {
    let mut all: Vec<&StoredPatch> =
        patches.into_iter().filter(|patch| !patch.stored().commit().is_merge()).collect();
    all.sort_by_key(|patch| patch.stored().commit().committed);
    let changed = all.iter().map(|p| (p.stored().commit().oid, p.patch().files.as_slice()));
    paired(&changed.filter(|(_, files)| !files.is_empty()).collect::<Vec<_>>())
}

/// The pairs of commits, which stand oldest first.
fn paired(changed: &[(Oid, &[FileChange])]) -> HashMap<Oid, Oid> {
    let mut by_content: HashMap<(Oid, Oid), Vec<usize>> = HashMap::new();
    for (at, (_, files)) in changed.iter().enumerate() {
        for file in *files {
            by_content.entry((file.old_blob, file.new_blob)).or_default().push(at);
        }
    }
    let mut out = HashMap::new();
    for (at, (oid, files)) in changed.iter().enumerate() {
        let back = files.iter().filter_map(|f| by_content.get(&(f.new_blob, f.old_blob)));
        let mut before: Vec<usize> = back.flatten().copied().filter(|other| *other < at).collect();
        before.sort_unstable_by(|a, b| b.cmp(a));
        before.dedup();
        let undone = before.into_iter().find_map(|other| {
            let (other, other_files) = changed.get(other)?;
            (!out.contains_key(other) && is_undone(files, other_files)).then_some(*other)
        });
        if let Some(undone) = undone {
            out.insert(*oid, undone);
            out.insert(undone, *oid);
        }
    }
    out
}

/// Rules out the pairs of a window of which its head holds nothing.
pub(super) fn rule_out(
    window: &Collected<'_>,
    known: &mut [Known<'_>],
    objects: &mut ObjectReader,
) -> Result<(), QueryError> {
    let pairs = pairs(known.iter().map(|one| one.patch));
    let trees = [window.base.commit.commit().tree, window.head.commit.commit().tree];
    let of = |known: &[Known<'_>], oid: Oid| {
        known.iter().position(|one| one.patch.stored().commit().oid == oid)
    };
    let mut done: HashSet<Oid> = HashSet::new();
    for at in 0..known.len() {
        let Some(one) = known.get(at) else { continue };
        let oid = one.patch.stored().commit().oid;
        let Some(other) = pairs.get(&oid).and_then(|other| of(known, *other)) else { continue };
        let Some(two) = known.get(other).filter(|_| done.insert(oid)) else { continue };
        done.insert(two.patch.stored().commit().oid);
        let (first, second) = (one.patch, two.patch);
        let order = |patch: &StoredPatch| patch.stored().commit().committed;
        let (first, second) =
            if order(first) <= order(second) { (first, second) } else { (second, first) };
        let Some(left) = nothing_left(first.patch(), second.patch(), trees, objects)? else {
            continue;
        };
        let lines: u32 =
            first.patch().files.iter().map(|file| file.added.saturating_add(file.deleted)).sum();
        let how = left.words(lines, &window.report.base, &window.report.head);
        let evidence = vec![first.stored().evidence(), second.stored().evidence()];
        let (a, b) = (first.stored().commit().oid, second.stored().commit().oid);
        let whys = [
            (a, format!("undone within the window by {}: {how}", b.short())),
            (b, format!("takes back {}, which is of the window too: {how}", a.short())),
        ];
        for (oid, why) in whys {
            let Some(one) = of(known, oid).and_then(|at| known.get_mut(at)) else { continue };
            let evidence = evidence.clone();
            one.judged.get_or_insert(Judged { verdict: Verdict::Excluded, why, evidence });
        }
    }
    Ok(())
}

/// How it is known that nothing is left of a change and of the one that takes it back.
struct Left {
    /// Each file is put back line for line, but for those of which white space is left.
    by_lines: bool,
    /// Each is in both trees the same, but for those.
    by_trees: bool,
    /// The files of which white space is left.
    spaced: usize,
}

impl Left {
    fn words(&self, lines: u32, base: &str, head: &str) -> String {
        let but = match self.spaced {
            0 => String::new(),
            1 => ", but for white space in 1 file".to_owned(),
            n => format!(", but for white space in {n} files"),
        };
        let same = format!("at {head} its files are what they were at {base}");
        match (self.by_lines, self.by_trees) {
            (true, false) => format!("all of the {lines} changed lines are put back{but}"),
            (true, true) => {
                format!("all of the {lines} changed lines are put back, and {same}{but}")
            }
            (false, true) => format!("{same}{but}"),
            (false, false) => format!(
                "each file is put back line for line, or is at {head} what it was at {base}{but}"
            ),
        }
    }
}

/// Whether nothing of a change and of the one that takes it back is left in the second of two
/// trees: each file is put back, line for line, or is the same in both trees.
fn nothing_left(
    one: &CommitPatch,
    other: &CommitPatch,
    [base, head]: [Oid; 2],
    objects: &mut ObjectReader,
) -> Result<Option<Left>, QueryError> {
    let mut left = Left { by_lines: true, by_trees: true, spaced: 0 };
    let mut spaced: HashSet<&str> = HashSet::new();
    let both = [(one, other), (other, one)];
    let files = both.iter().flat_map(|(of, by)| of.files.iter().map(|file| (file, &by.files)));
    for (file, others) in files {
        if file.gap {
            return Ok(None);
        }
        let back = others.iter().any(|other| puts_back(file, other));
        let was = objects.entry(base, &file.path)?.map(|entry| entry.oid);
        let same = was == objects.entry(head, &file.path)?.map(|entry| entry.oid);
        if !back && !same {
            if !is_spacing(file, objects)? {
                return Ok(None);
            }
            spaced.insert(&file.path);
            continue;
        }
        left.by_lines &= back;
        left.by_trees &= same;
    }
    left.spaced = spaced.len();
    Ok(Some(left))
}

/// Whether a change puts back what another did to the same file.
fn puts_back(file: &FileChange, other: &FileChange) -> bool {
    let same_path = file.path == other.path_before() && file.path_before() == other.path;
    let contents = file.old_blob == other.new_blob && file.new_blob == other.old_blob;
    let modes = file.old_mode == other.new_mode && file.new_mode == other.old_mode;
    if !same_path || !modes {
        return false;
    }
    contents || {
        let (did, undid) = (runs(file), runs(other));
        let back = |(a, b): (&Run<'_>, &Run<'_>)| a.0 == b.1 && a.1 == b.0;
        !did.is_empty() && did.len() == undid.len() && did.iter().zip(&undid).all(back)
    }
}

/// Lines that were removed together, and those that came in their place.
type Run<'f> = (Vec<&'f [u8]>, Vec<&'f [u8]>);

fn runs(file: &FileChange) -> Vec<Run<'_>> {
    let mut out: Vec<Run<'_>> = Vec::new();
    for hunk in file.parsed() {
        let mut open = false;
        for line in hunk.lines {
            if line.side == Side::Context {
                open = false;
                continue;
            }
            if !open {
                out.push(Run::default());
                open = true;
            }
            if let Some(run) = out.last_mut() {
                if line.side == Side::Removed {
                    run.0.push(line.text)
                } else {
                    run.1.push(line.text)
                }
            }
        }
    }
    out
}

/// Whether a file's change is one of white space alone, where that has no meaning.
fn is_spacing(file: &FileChange, objects: &mut ObjectReader) -> Result<bool, QueryError> {
    if file.binary || file.old_blob.is_zero() || file.new_blob.is_zero() {
        return Ok(false);
    }
    if Syntax::of(&file.path) != Syntax::Slashes || file.path != file.path_before() {
        return Ok(false);
    }
    let (Some(old), Some(new)) = (objects.blob(file.old_blob)?, objects.blob(file.new_blob)?)
    else {
        return Ok(false);
    };
    let bare = |text: &[u8]| -> Vec<Vec<u8>> {
        let squeezed = |line: &[u8]| -> Vec<u8> {
            line.split(u8::is_ascii_whitespace)
                .filter(|w| !w.is_empty())
                .collect::<Vec<_>>()
                .join(&b' ')
        };
        text.split(|b| *b == b'\n').map(squeezed).filter(|line| !line.is_empty()).collect()
    };
    Ok(bare(&old) == bare(&new))
}

/// Whether nearly all of the larger change's files come back to what they were, or have the
/// change's own lines put back where others came between.
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
                || other.iter().any(|back| puts_back(f, back))
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
    fn a_change_that_is_made_again_is_not_undone() {
        let (made, back) = ([file("a", 1, 2)], [file("a", 2, 1)]);
        let oid = |n: u8| Oid::from_bytes([n; 20]);
        let all: [(Oid, &[FileChange]); 3] = [(oid(7), &made), (oid(8), &back), (oid(9), &made)];
        let found = paired(&all);
        assert_eq!((found.get(&oid(7)), found.get(&oid(8))), (Some(&oid(8)), Some(&oid(7))));
        assert_eq!(found.get(&oid(9)), None);
    }

    #[test]
    fn a_file_is_put_back_by_its_lines_where_others_changed_between() {
        let with = |old: u8, new: u8, hunks: &str| FileChange {
            hunks: hunks.as_bytes().to_vec(),
            ..file("a", old, new)
        };
        let did = with(1, 2, "@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n");
        let undid = with(3, 4, "@@ -9,3 +9,3 @@\n x\n-c\n+b\n d\n");
        assert!(puts_back(&did, &undid) && puts_back(&undid, &did));
        let half = with(3, 4, "@@ -9,3 +9,4 @@\n x\n-c\n+b\n+e\n d\n");
        assert!(!puts_back(&did, &half) && !puts_back(&half, &did));
        assert!(!puts_back(&did, &did));
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
