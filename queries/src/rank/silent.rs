//! Changes that say the same as before to whoever runs the program: comments, links and
//! white space.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use headwater_store::model::{FileChange, Side};

/// How lines begin that are comments, by the ends of paths.
const COMMENTS: [(&[&str], &[&str]); 2] = [
    (
        &[
            ".c", ".cc", ".cpp", ".h", ".hpp", ".cu", ".cuh", ".go", ".m", ".metal", ".comp",
            ".cl", ".glsl", ".wgsl", ".swift", ".ts", ".js", ".java", ".kt", ".rs",
        ],
        &["//", "/*", "* ", "*/"],
    ),
    (
        &[
            ".py",
            ".sh",
            ".cmake",
            "CMakeLists.txt",
            "Makefile",
            ".mk",
            ".toml",
            ".yml",
            ".yaml",
            "Dockerfile",
        ],
        &["#"],
    ),
];

/// How comments begin that a compiler or a system reads.
const DIRECTIVES: [&str; 4] = ["//go:", "// #", "//#", "#!"];

/// Whether the changed lines of a file are the same before and after without comments,
/// links and the white space around them. One of which no line is known is not.
pub(super) fn is_silent(file: &FileChange) -> bool {
    let comments = COMMENTS
        .iter()
        .find(|(ends, _)| ends.iter().any(|end| file.path.ends_with(end)))
        .map_or(&[][..], |(_, starts)| starts);
    let mut sides = [DefaultHasher::new(), DefaultHasher::new()];
    let mut any = false;
    for hunk in file.parsed() {
        for line in &hunk.lines {
            let side = match line.side {
                Side::Removed => 0,
                Side::Added => 1,
                Side::Context => continue,
            };
            any = true;
            let text = line.text_lossy();
            let text = text.trim();
            let begins = |starts: &[&str]| starts.iter().any(|start| text.starts_with(start));
            // Fields are often named so: code follows such a comment.
            let code = text.split_once("*/").is_some_and(|(_, rest)| !rest.trim().is_empty());
            if text.is_empty() || begins(comments) && !begins(&DIRECTIVES) && !code {
                continue;
            }
            if let Some(hash) = sides.get_mut(side) {
                without_links(text, hash);
            }
        }
    }
    let [old, new] = sides;
    any && old.finish() == new.finish()
}

/// Adds a line without the places on the web that it names.
fn without_links(text: &str, hash: &mut DefaultHasher) {
    let is_link = |word: &str| word.contains("://") || word.contains("github.com");
    if !is_link(text) {
        text.hash(hash);
        return;
    }
    // A link ends where no link goes on: at quotes, brackets and white space.
    let ends = |c: char| c.is_whitespace() || "\"'`<>()[]{}".contains(c);
    for part in text.split(ends).filter(|part| !part.is_empty() && !is_link(part)) {
        part.hash(hash);
    }
    0u8.hash(hash);
}

#[cfg(test)]
mod tests {
    use headwater_store::Oid;
    use headwater_store::model::ChangeStatus;

    use super::*;

    fn silent(path: &str, lines: &str) -> bool {
        let removed = lines.lines().filter(|line| line.starts_with('-')).count();
        let added = lines.lines().filter(|line| line.starts_with('+')).count();
        is_silent(&FileChange {
            path: path.to_owned(),
            old_path: None,
            status: ChangeStatus::Modified,
            old_mode: 0o100_644,
            new_mode: 0o100_644,
            old_blob: Oid::ZERO,
            new_blob: Oid::ZERO,
            added: u32::try_from(added).unwrap(),
            deleted: u32::try_from(removed).unwrap(),
            binary: false,
            gap: false,
            hunks: format!("@@ -1,{removed} +1,{added} @@\n{lines}").into_bytes(),
        })
    }

    #[test]
    fn comments_links_and_white_space_say_the_same() {
        for (path, lines) in [
            ("a.cpp", "-// see the old place\n+// see the new place\n"),
            (
                "a.cpp",
                "-  log(\"see https://github.com/a/b/issues/1\");\n+  log(\"see https://github.com/c/b/issues/1\");\n",
            ),
            ("a.go", "-\tx := 1\n+    x := 1\n"),
            ("a.py", "-# old\n-y = 2\n+y = 2\n"),
            ("a.cpp", "+\n+// only a word\n"),
        ] {
            assert!(silent(path, lines), "{path} {lines}");
        }
        for (path, lines) in [
            ("a.cpp", "-x = 1;\n+x = 2;\n"),
            ("a.cpp", "-#define N 1\n+#define N 2\n"),
            ("a.cpp", "-f(a, b);\n-g(c);\n+g(c);\n+f(a, b);\n"),
            ("a.cpp", "-get(\"https://a.example/x\", 1);\n+get(\"https://a.example/x\", 2);\n"),
            ("a.py", "+import sys\n"),
            ("a.go", "-// #cgo CFLAGS: -O2\n+// #cgo CFLAGS: -O2 -DNDEBUG\n"),
            ("a.c", "-/* .grows = */ true,\n+/* .grows = */ false,\n"),
            ("a.sh", "-#!/bin/sh\n+#!/bin/bash\n"),
            ("a.cpp", ""),
        ] {
            assert!(!silent(path, lines), "{path} {lines}");
        }
    }
}
