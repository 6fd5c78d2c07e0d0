//! What one commit does to one file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Oid;

/// Git's status letter of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeStatus {
    /// `A`
    Added,
    /// `M`
    Modified,
    /// `D`
    Deleted,
    /// `R`: moved, perhaps with edits.
    Renamed,
    /// `C`
    Copied,
    /// `T`: a file became a symbolic link, or the like.
    TypeChanged,
}

impl ChangeStatus {
    /// The status for one of git's letters.
    pub fn from_letter(letter: u8) -> Option<Self> {
        Some(match letter {
            b'A' => Self::Added,
            b'M' => Self::Modified,
            b'D' => Self::Deleted,
            b'R' => Self::Renamed,
            b'C' => Self::Copied,
            b'T' => Self::TypeChanged,
            _ => return None,
        })
    }

    /// Git's letter for it.
    pub const fn letter(self) -> u8 {
        match self {
            Self::Added => b'A',
            Self::Modified => b'M',
            Self::Deleted => b'D',
            Self::Renamed => b'R',
            Self::Copied => b'C',
            Self::TypeChanged => b'T',
        }
    }
}

/// One file's change in one commit, against the first parent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileChange {
    /// The path after the change (before it, for a deletion).
    pub path: String,
    /// The path before, where a rename or copy changed it.
    pub old_path: Option<String>,
    /// What happened to it.
    pub status: ChangeStatus,
    /// The mode before, as git prints it in octal (0 where there was no file).
    pub old_mode: u32,
    /// The mode after (0 where there is no file).
    pub new_mode: u32,
    /// The blob before; [`Oid::ZERO`] where there was none.
    pub old_blob: Oid,
    /// The blob after; [`Oid::ZERO`] where there is none.
    pub new_blob: Oid,
    /// Lines added, as counted from the hunks.
    pub added: u32,
    /// Lines removed, as counted from the hunks.
    pub deleted: u32,
    /// Git calls it binary: no hunks exist.
    pub binary: bool,
    /// A blob of this change is missing from where it was read: its hunks are
    /// not known, and a gap is recorded.
    pub gap: bool,
    /// The hunks as git prints them with three lines of context, from the first
    /// `@@` on; empty where there are none.
    #[serde(skip)]
    pub hunks: Vec<u8>,
}

/// Which side of a change a line stands on.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// A `-` line: only in the old file.
    Removed,
    /// A `+` line: only in the new file.
    Added,
    /// A line that both files have.
    Context,
}

/// One line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its side.
    pub side: Side,
    /// Its number in the old file, from 1 (for an added line: of the next old line).
    pub old: u32,
    /// Its number in the new file, from 1 (for a removed line: of the next new line).
    pub new: u32,
    /// Its bytes, without the sign and the line feed.
    pub text: &'a [u8],
}

impl Line<'_> {
    /// The line's number in the file of its own side.
    pub fn number(&self) -> u32 {
        if self.side == Side::Removed { self.old } else { self.new }
    }

    /// The text, with what is no UTF-8 replaced.
    pub fn text_lossy(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.text)
    }
}

/// One hunk: a run of lines and the declaration that git found above it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk<'a> {
    /// What git prints after the second `@@`: the enclosing function, if any.
    pub section: &'a [u8],
    /// Its lines, context included.
    pub lines: Vec<Line<'a>>,
}

impl FileChange {
    /// The hunks, parsed. Text that is no hunk is passed over, never a panic.
    pub fn parsed(&self) -> Vec<Hunk<'_>> {
        parse_hunks(&self.hunks)
    }

    /// The added and removed lines, in order.
    pub fn changed_lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.parsed().into_iter().flat_map(|hunk| hunk.lines).filter(|l| l.side != Side::Context)
    }

    /// The path before the change, whether or not it moved.
    pub fn path_before(&self) -> &str {
        self.old_path.as_deref().unwrap_or(&self.path)
    }
}

/// The numbers of `@@ -a,b +c,d @@` (a count that is left out is 1), and the section text
/// after them; `None` where the line is no hunk's header. Git's diff-format document tells
/// the form.
pub fn hunk_header(line: &[u8]) -> Option<([u32; 4], &[u8])> {
    let rest = line.strip_prefix(b"@@ -")?;
    let end = memchr::memmem::find(rest, b" @@")?;
    let section = rest[end + 3..].strip_prefix(b" ").unwrap_or(&rest[end + 3..]);
    let numbers = std::str::from_utf8(&rest[..end]).ok()?;
    let (old, new) = numbers.split_once(" +")?;
    let pair = |text: &str| -> Option<(u32, u32)> {
        match text.split_once(',') {
            Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
            None => Some((text.parse().ok()?, 1)),
        }
    };
    let ((a, b), (c, d)) = (pair(old)?, pair(new)?);
    Some(([a, b, c, d], section))
}

fn parse_hunks(text: &[u8]) -> Vec<Hunk<'_>> {
    let mut hunks = Vec::new();
    let mut rest = text;
    let mut next_line = || -> Option<&[u8]> {
        if rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = &rest[..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        Some(line)
    };
    while let Some(line) = next_line() {
        let Some(([mut old, old_count, mut new, new_count], section)) = hunk_header(line) else {
            continue;
        };
        // A side without lines is numbered by the line before it.
        old = old.saturating_add(u32::from(old_count == 0));
        new = new.saturating_add(u32::from(new_count == 0));
        let (mut old_left, mut new_left) = (old_count, new_count);
        let mut lines = Vec::new();
        while old_left > 0 || new_left > 0 {
            let Some(line) = next_line() else { break };
            let (side, body) = match line.split_first() {
                Some((b'-', body)) => (Side::Removed, body),
                Some((b'+', body)) => (Side::Added, body),
                Some((b' ', body)) => (Side::Context, body),
                None => (Side::Context, line),
                Some(_) => continue, // "\ No newline at end of file"
            };
            lines.push(Line { side, old, new, text: body });
            if side != Side::Added {
                old = old.saturating_add(1);
                old_left = old_left.saturating_sub(1);
            }
            if side != Side::Removed {
                new = new.saturating_add(1);
                new_left = new_left.saturating_sub(1);
            }
        }
        hunks.push(Hunk { section, lines });
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lines_on_their_own_side() {
        let text = b"@@ -10,3 +10,3 @@ func Default() {\n a\n-b\n+c\n d\n@@ -20 +20,0 @@\n-gone\n\\ No newline at end of file\n";
        let hunks = parse_hunks(text);
        assert_eq!(hunks.len(), 2);
        assert_eq!(hunks[0].section, b"func Default() {");
        let changed: Vec<_> = hunks
            .iter()
            .flat_map(|h| &h.lines)
            .filter(|l| l.side != Side::Context)
            .map(|l| (l.side, l.number(), l.text))
            .collect();
        assert_eq!(
            changed,
            [
                (Side::Removed, 11, &b"b"[..]),
                (Side::Added, 11, &b"c"[..]),
                (Side::Removed, 20, &b"gone"[..])
            ]
        );
    }

    #[test]
    fn a_changed_line_that_looks_like_a_header_is_a_line() {
        let text = b"@@ -1,1 +1,1 @@\n--- a/file\n+@@ -9,9 +9,9 @@\n";
        let hunks = parse_hunks(text);
        assert_eq!(hunks.len(), 1);
        assert_eq!(hunks[0].lines[0].text, b"-- a/file");
        assert_eq!(hunks[0].lines[1].text, b"@@ -9,9 +9,9 @@");
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..400)) {
            let _ = parse_hunks(&text);
            let mut text = text;
            text.splice(0..0, *b"@@ -4294967295,9 +4294967295,9 @@\n");
            let _ = parse_hunks(&text);
        }
    }
}
