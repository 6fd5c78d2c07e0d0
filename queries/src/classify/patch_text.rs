//! Miniature patches, as rules carry them for examples: unified diffs whose numbers may
//! be left out.

use chrono::{DateTime, Utc};
use headwater_store::Oid;
use headwater_store::model::{ChangeStatus, Commit, CommitPatch, FileChange, Person};

/// Why a text is no miniature patch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the patch: {what}")]
pub struct BadPatch {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

/// Reads a miniature patch.
///
/// # Errors
/// A line that is no part of a patch, or a patch without a file.
pub fn read_patch(message: &str, text: &str) -> Result<CommitPatch, BadPatch> {
    let mut files: Vec<Draft> = Vec::new();
    let mut old_path = None;
    for (index, line) in text.lines().enumerate() {
        let bad = |what: &str| BadPatch { line: index + 1, what: what.to_owned() };
        if let Some(path) = line.strip_prefix("--- ") {
            old_path = Some(side_path(path));
        } else if let Some(path) = line.strip_prefix("+++ ") {
            let before = old_path.take().ok_or_else(|| bad("'+++' without '---' before it"))?;
            files.push(Draft { before, after: side_path(path), ..Draft::default() });
        } else if let Some(rest) = line.strip_prefix("@@") {
            let file = files.last_mut().ok_or_else(|| bad("'@@' before any file"))?;
            let section = rest.rsplit_once("@@").map_or(rest, |(_, section)| section);
            file.hunks.push((section.trim().to_owned(), Vec::new()));
        } else {
            let line = if line.is_empty() { " " } else { line };
            if !line.starts_with(['+', '-', ' ']) {
                return Err(bad("a line starts with '+', '-' or a space"));
            }
            let Some(file) = files.last_mut() else {
                return Err(bad("a changed line before '---' and '+++'"));
            };
            if file.hunks.is_empty() {
                file.hunks.push((String::new(), Vec::new()));
            }
            if let Some((_, lines)) = file.hunks.last_mut() {
                lines.push(line.to_owned());
            }
        }
    }
    if files.is_empty() {
        return Err(BadPatch { line: 1, what: "no file: '--- a/path', '+++ b/path'".to_owned() });
    }
    let nobody = Person { name: String::new(), email: String::new() };
    Ok(CommitPatch {
        commit: Commit {
            oid: Oid::ZERO,
            tree: Oid::ZERO,
            parents: Vec::new(),
            author: nobody.clone(),
            authored: DateTime::<Utc>::UNIX_EPOCH,
            committer: nobody,
            committed: DateTime::<Utc>::UNIX_EPOCH,
            message: message.to_owned(),
        },
        files: files.into_iter().map(Draft::finish).collect(),
    })
}

#[derive(Default)]
struct Draft {
    before: Option<String>,
    after: Option<String>,
    hunks: Vec<(String, Vec<String>)>,
}

/// `a/path` and `b/path` without their first letter; `/dev/null` is none.
fn side_path(text: &str) -> Option<String> {
    let text = text.trim_end();
    if text == "/dev/null" {
        return None;
    }
    Some(text.strip_prefix("a/").or_else(|| text.strip_prefix("b/")).unwrap_or(text).to_owned())
}

impl Draft {
    fn finish(self) -> FileChange {
        let (mut added, mut deleted) = (0_u32, 0_u32);
        let mut hunks = String::new();
        let mut start = 10_u32;
        for (section, lines) in &self.hunks {
            let of = |sign: char| lines.iter().filter(|line| line.starts_with(sign)).count();
            let (plus, minus, same) = (of('+'), of('-'), of(' '));
            added = added.saturating_add(u32::try_from(plus).unwrap_or(u32::MAX));
            deleted = deleted.saturating_add(u32::try_from(minus).unwrap_or(u32::MAX));
            hunks.push_str(&format!(
                "@@ -{start},{} +{start},{} @@ {section}\n",
                minus + same,
                plus + same
            ));
            for line in lines {
                hunks.push_str(line);
                hunks.push('\n');
            }
            start = start.saturating_add(100);
        }
        let status = match (&self.before, &self.after) {
            (None, _) => ChangeStatus::Added,
            (_, None) => ChangeStatus::Deleted,
            (Some(before), Some(after)) if before != after => ChangeStatus::Renamed,
            _ => ChangeStatus::Modified,
        };
        let path = self.after.clone().or_else(|| self.before.clone()).unwrap_or_default();
        FileChange {
            old_path: if status == ChangeStatus::Renamed { self.before } else { None },
            path,
            status,
            old_mode: 0o100_644,
            new_mode: 0o100_644,
            old_blob: Oid::ZERO,
            new_blob: Oid::ZERO,
            added,
            deleted,
            binary: false,
            gap: false,
            hunks: hunks.into_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headwater_store::model::Side;

    #[test]
    fn reads_files_sections_and_sides() {
        let patch = read_patch(
            "api: less",
            "--- a/api/types.go\n+++ b/api/types.go\n@@ func DefaultOptions() Options {\n \tx\n-\tA: 1,\n+\tA: 2,\n--- /dev/null\n+++ b/new.go\n+package x\n--- a/was.c\n+++ b/is.c\n",
        )
        .unwrap();
        let status: Vec<_> = patch.files.iter().map(|file| file.status).collect();
        assert_eq!(status, [ChangeStatus::Modified, ChangeStatus::Added, ChangeStatus::Renamed]);
        assert_eq!(patch.files[0].parsed()[0].section, b"func DefaultOptions() Options {");
        let sides: Vec<_> = patch.files[0].changed_lines().map(|l| (l.side, l.number())).collect();
        assert_eq!(sides, [(Side::Removed, 11), (Side::Added, 11)]);
        assert_eq!(patch.files[2].path_before(), "was.c");
    }

    #[test]
    fn says_where_it_is_wrong() {
        assert_eq!(read_patch("", "--- a/x\n+++ b/x\nhello\n").unwrap_err().line, 3);
        assert!(read_patch("", "").is_err());
        assert!(read_patch("", "+x\n").is_err());
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "([-+ @a/\n]|@@|--- |\\+\\+\\+ ){0,60}") {
            let _ = read_patch("", &text);
        }
    }
}
