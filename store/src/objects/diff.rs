//! What git says now that commits changed: for texts that the records do not hold, and for
//! comparing those that they do.

use std::ops::Range;

use super::ObjectStore;
use crate::git;
use crate::model::{ChangeStatus, FileChange, hunk_header};
use crate::{Oid, StoreError};

/// The change of one file, as git prints it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileDiff {
    /// The blobs before and after, where git names them.
    pub blobs: Option<(Oid, Oid)>,
    /// Git calls it binary.
    pub binary: bool,
    /// The hunks, with their `@@` lines.
    pub hunks: Vec<u8>,
}

impl ObjectStore {
    /// What git says of commits, each compared with the parent that stands beside it, or
    /// with its own where none does. The same options as those of crawls.
    ///
    /// # Errors
    /// Where git fails, or leaves a commit out.
    pub fn diffs(&self, commits: &[(Oid, Option<Oid>)]) -> Result<Vec<Vec<FileDiff>>, StoreError> {
        let mut input = String::with_capacity(commits.len() * 82);
        for (commit, parent) in commits {
            match parent {
                Some(parent) => input.push_str(&format!("{commit} {parent}\n")),
                None => input.push_str(&format!("{commit}\n")),
            }
        }
        let args = [
            "diff-tree",
            "--stdin",
            "-r",
            "-M",
            "-l1000",
            "--full-index",
            "--root",
            "--always",
            "-p",
            "-U3",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--format=%x00%H",
        ];
        let printed = git::output_with_input(self.dir(), &args, input.into_bytes())?;
        let mut told = parse(&printed).into_iter();
        commits
            .iter()
            .map(|(commit, _)| match told.next() {
                Some((oid, files)) if oid == *commit => Ok(files),
                _ => Err(self.no_object(*commit)),
            })
            .collect()
    }
}

/// Reads what `git diff-tree -p` printed. Hunks are consumed by the counts of their
/// `@@` line, so that no line inside one is ever taken for a header.
fn parse(printed: &[u8]) -> Vec<(Oid, Vec<FileDiff>)> {
    let mut commits: Vec<(Oid, Vec<FileDiff>)> = Vec::new();
    let mut at = 0;
    while let Some(line) = next_line(printed, &mut at) {
        let text = &printed[line.clone()];
        if let Some(oid) = text.strip_prefix(b"\0").and_then(Oid::from_hex) {
            commits.push((oid, Vec::new()));
            continue;
        }
        let Some((_, files)) = commits.last_mut() else { continue };
        if text.starts_with(b"diff --git ") {
            files.push(FileDiff::default());
            continue;
        }
        let Some(file) = files.last_mut() else { continue };
        if let Some(rest) = text.strip_prefix(b"index ") {
            file.blobs = blobs(rest);
        } else if text.starts_with(b"Binary files ") {
            file.binary = true;
        } else if text.starts_with(b"\\ ") {
            file.hunks.extend_from_slice(&printed[line.start..at]);
        } else if let Some(([_, mut old, _, mut new], _)) = hunk_header(text) {
            while old > 0 || new > 0 {
                let Some(line) = next_line(printed, &mut at) else { break };
                match printed.get(line.start) {
                    Some(b'-') => old = old.saturating_sub(1),
                    Some(b'+') => new = new.saturating_sub(1),
                    Some(b'\\') => {}
                    _ => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
                }
            }
            file.hunks.extend_from_slice(&printed[line.start..at]);
        }
    }
    commits
}

/// The next line, without its line feed.
fn next_line(text: &[u8], at: &mut usize) -> Option<Range<usize>> {
    let start = *at;
    let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
    let len = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    *at = (start + len + 1).min(text.len());
    Some(start..start + len)
}

fn blobs(rest: &[u8]) -> Option<(Oid, Oid)> {
    Some((Oid::from_hex(rest.get(..40)?)?, Oid::from_hex(rest.get(42..82)?)?))
}

/// The diffs of each change of a commit, which come in the same order. A change of type is
/// told as a deletion and an addition; one whose texts do not differ is not told.
pub fn align(files: &[FileChange], diffs: Vec<FileDiff>) -> Vec<FileDiff> {
    let mut aligned: Vec<Option<FileDiff>> = vec![None; files.len()];
    let mut at = 0;
    for diff in diffs {
        let fits = |file: &FileChange| match diff.blobs {
            Some((old, new)) if file.status == ChangeStatus::TypeChanged => {
                (old == file.old_blob || old.is_zero()) && (new == file.new_blob || new.is_zero())
            }
            Some((old, new)) => old == file.old_blob && new == file.new_blob,
            None => file.old_blob == file.new_blob || file.old_mode != file.new_mode,
        };
        let place = (at..files.len()).find(|i| {
            files.get(*i).zip(aligned.get(*i)).is_some_and(|(file, taken)| {
                (taken.is_none() || file.status == ChangeStatus::TypeChanged) && fits(file)
            })
        });
        let Some(place) = place else { continue };
        at = place;
        match &mut aligned[place] {
            Some(earlier) => {
                earlier.binary |= diff.binary;
                earlier.hunks.extend_from_slice(&diff.hunks);
            }
            free => *free = Some(diff),
        }
    }
    aligned.into_iter().map(Option::unwrap_or_default).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "1111111111111111111111111111111111111111";
    const B: &str = "2222222222222222222222222222222222222222";

    #[test]
    fn a_line_that_looks_like_a_header_is_a_line() {
        let text = format!(
            "\0{A}\n\ndiff --git a/x b/x\nindex {A}..{B} 100644\n--- a/x\n+++ b/x\n\
             @@ -1,2 +1,2 @@ f\n \0{B}\n-diff --git a/y b/y\n+@@ -9,9 +9,9 @@\n\\ No newline at end of file\n\
             diff --git a/z b/z\nindex {B}..{A}\nBinary files a/z and b/z differ\n\0{B}\n"
        );
        let commits = parse(text.as_bytes());
        assert_eq!(commits.len(), 2);
        let files = &commits[0].1;
        assert_eq!(files.len(), 2);
        assert!(files[0].hunks.starts_with(b"@@ -1,2 +1,2 @@ f\n"));
        assert!(files[0].hunks.ends_with(b"+@@ -9,9 +9,9 @@\n\\ No newline at end of file\n"));
        assert!(files[1].binary && files[1].hunks.is_empty());
        assert!(commits[1].1.is_empty());
    }

    proptest::proptest! {
        #[test]
        fn never_panics(lines in proptest::collection::vec(
            proptest::sample::select(vec![
                "\0", "diff --git a b\n", "index ", "\n", "@@ -1,9 +2,9 @@\n", "-x\n", "+y\n", "\\ N\n",
                "@@ -4294967295,9 +1 @@\n", "Binary files \n", A, "..", B,
            ]), 0..40,
        )) {
            let text: String = lines.concat();
            for (_, files) in parse(text.as_bytes()) {
                let _ = align(&[], files);
            }
        }
    }
}
