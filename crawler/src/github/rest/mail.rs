//! Patches as mails, as `git format-patch` writes them: one for each commit but merges.
//!
//! What a commit's message holds can look like anything, so nothing here is trusted: a
//! patch counts only where it leads to the tree that its commit names.

use std::collections::{BTreeSet, HashMap};

use headwater_store::Oid;

/// The line with which a mail begins has this after the commit's id.
const DATE: &[u8] = b" Mon Sep 17 00:00:00 2001";

/// The diff of each mail, by its commit.
pub(super) fn diffs(mails: &[u8]) -> HashMap<Oid, Vec<u8>> {
    let mut all: HashMap<Oid, Vec<u8>> = HashMap::new();
    let mut at: Option<(Oid, Part)> = None;
    for line in mails.split_inclusive(|byte| *byte == b'\n') {
        if let Some(oid) = begins(line) {
            at = Some((oid, Part::Message));
            continue;
        }
        let Some((oid, part)) = &mut at else { continue };
        match part {
            Part::Message if line == b"---\n" => *part = Part::Counts,
            Part::Counts if line.starts_with(b"diff --git ") => *part = Part::Diff,
            _ => {}
        }
        if *part == Part::Diff {
            all.entry(*oid).or_default().extend_from_slice(line);
        }
    }
    all
}

#[derive(PartialEq, Eq)]
enum Part {
    Message,
    Counts,
    Diff,
}

fn begins(line: &[u8]) -> Option<Oid> {
    let rest = line.strip_prefix(b"From ")?;
    rest.get(40..)?.starts_with(DATE).then(|| Oid::from_hex(&rest[..40]))?
}

/// The paths of which a diff needs the old file, and some that it only seems to need.
pub(super) fn old_paths(diff: &[u8]) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for line in diff.split(|byte| *byte == b'\n') {
        let named = |start: &[u8]| Some(unquoted(line.strip_prefix(start)?));
        let path = named(b"rename from ").or_else(|| named(b"copy from ")).or_else(|| {
            let path = named(b"--- ")?;
            path.strip_prefix("a/").map(str::to_owned)
        });
        paths.extend(path);
        // Of a file whose mode alone changed nothing else is said.
        if let Some(rest) = line.strip_prefix(b"diff --git ") {
            let one = rest.get(..rest.len().saturating_sub(1) / 2).map(unquoted);
            paths.extend(one.and_then(|path| Some(path.strip_prefix("a/")?.to_owned())));
        }
    }
    paths
}

/// A path as git prints it: in quotes, with escapes, where it holds anything unusual.
fn unquoted(text: &[u8]) -> String {
    let text = text.strip_suffix(b"\t").unwrap_or(text);
    let inner = text.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
    let Some(inner) = inner else { return String::from_utf8_lossy(text).into_owned() };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.iter().copied();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b'a') => bytes.push(7),
            Some(b'b') => bytes.push(8),
            Some(b'v') => bytes.push(11),
            Some(b'f') => bytes.push(12),
            Some(first @ b'0'..=b'3') => {
                let digits = [first, rest.next().unwrap_or(b'0'), rest.next().unwrap_or(b'0')];
                let value = digits.iter().fold(0_u32, |sum, digit| {
                    sum.wrapping_mul(8).wrapping_add(u32::from(digit.wrapping_sub(b'0') & 7))
                });
                bytes.push(value.to_le_bytes()[0]);
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mail_gives_its_diff_and_no_message_is_taken_for_one() {
        let one = "0123456789012345678901234567890123456789";
        let two = "abcdefabcdefabcdefabcdefabcdefabcdefabcd";
        let text = format!(
            "From {one} Mon Sep 17 00:00:00 2001\nSubject: x\n\ndiff --git a/no b/no\n---\n a | 1 +\n\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n-- \n2.40\n\nFrom {two} Mon Sep 17 00:00:00 2001\nSubject: empty\n\nFrom nobody Mon Sep 17 00:00:00 2001\n"
        );
        let all = diffs(text.as_bytes());
        assert_eq!(all.len(), 1);
        let diff = String::from_utf8(all[&one.parse::<Oid>().unwrap()].clone()).unwrap();
        assert!(diff.starts_with("diff --git a/a b/a\n--- a/a\n"), "{diff}");
        assert!(diff.ends_with("2.40\n\n") && !diff.contains("b/no"), "{diff}");
    }

    #[test]
    fn the_old_paths_of_a_diff() {
        let diff = b"diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\ndiff --git \"a/\\303\\244 \\\"b\" \"b/\\303\\244 \\\"b\"\n--- \"a/\\303\\244 \\\"b\"\n+++ x\ndiff --git a/o b/n\nsimilarity index 100%\nrename from o o\nrename to n\n--- a/with space\t\n--- /dev/null\n";
        let paths: Vec<String> = old_paths(diff).into_iter().collect();
        assert_eq!(paths, ["o", "o o", "run.sh", "with space", "\u{e4} \"b"]);
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(
            bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200),
            text in "(From |0123456789|---\n|diff --git |a/x |\"|\\\\|\n| Mon Sep 17 00:00:00 2001){0,40}",
        ) {
            for input in [&bytes[..], text.as_bytes()] {
                diffs(input);
                old_paths(input);
                unquoted(input);
            }
        }
    }
}
