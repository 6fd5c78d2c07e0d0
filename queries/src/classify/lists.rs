//! Build files that only follow a move: the same lists and rules, with the new paths.

use std::collections::HashSet;

use headwater_store::model::Side;

use super::view::{FileView, HunkView, Kind, View};

/// Whether the two sides of a hunk of a build file differ only in the folders of files that
/// moved with the commit, and in what an option says of itself.
pub(super) fn only_moves(view: &View<'_>, file: &FileView<'_>, hunk: &HunkView<'_>) -> bool {
    if !is_build(&file.change.path) {
        return false;
    }
    let moved: HashSet<&[u8]> = view.files.iter().filter_map(|file| moved_stem(file)).collect();
    if moved.is_empty() {
        return false;
    }
    let side = |side: Side| -> Vec<Vec<u8>> {
        let lines = hunk.hunk.lines.iter().zip(&hunk.kinds);
        let lines = lines.filter(|(line, kind)| {
            (line.side == side || line.side == Side::Context) && **kind == Kind::Code
        });
        lines.map(|(line, _)| plain(line.text.trim_ascii(), &moved)).collect()
    };
    side(Side::Removed) == side(Side::Added)
}

/// What a build file is, by its name.
fn is_build(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name == "CMakeLists.txt" || name.ends_with(".cmake") || name.starts_with("Makefile")
}

/// The name, without folder and ending, of a file that went to another folder.
fn moved_stem<'v>(file: &'v FileView<'_>) -> Option<&'v [u8]> {
    let old = file.change.old_path.as_deref()?;
    let name = |path: &'v str| path.rsplit('/').next().unwrap_or(path);
    let new = name(&file.change.path);
    (name(old) == new).then(|| stem(new.as_bytes()))
}

fn stem(name: &[u8]) -> &[u8] {
    let end = name.iter().position(|byte| *byte == b'.').unwrap_or(name.len());
    &name[..end]
}

/// A line without the folders of moved files, and without the words of an option.
fn plain(line: &[u8], moved: &HashSet<&[u8]>) -> Vec<u8> {
    let is_path =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'/' | b'+' | b'-');
    let option = line.starts_with(b"option(");
    let mut out = Vec::with_capacity(line.len());
    let mut quoted = false;
    for run in line.chunk_by(|a, b| is_path(*a) && is_path(*b)) {
        if run == b"\"" {
            quoted = !quoted;
        } else if option && quoted {
            continue;
        }
        // How far apart words stand says nothing.
        if run == b" " && out.last() == Some(&b' ') {
            continue;
        }
        let name = run.rsplit(|b| *b == b'/').next().unwrap_or(run);
        let bare = run.len() > 1 && moved.contains(stem(name));
        out.extend_from_slice(if bare { name } else { run });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_moved_files_alone_are_left_out() {
        let moved = HashSet::from([&b"tiny"[..]]);
        let read = |line: &str| String::from_utf8(plain(line.as_bytes(), &moved)).unwrap();
        assert_eq!(read("OBJ += src/small/tiny.o src/big.o"), "OBJ += tiny.o src/big.o");
        assert_eq!(read("tiny.o: src/tiny.cpp"), "tiny.o: tiny.cpp");
        assert_eq!(read("option(A   \"one; two\"  ON)"), "option(A \"\" ON)");
        assert_eq!(read("set(A \"one\")"), "set(A \"one\")");
    }

    proptest::proptest! {
        #[test]
        fn never_panics(line in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..60)) {
            let moved = HashSet::from([&b"a"[..], &b""[..]]);
            proptest::prop_assert!(plain(&line, &moved).len() <= line.len());
        }
    }
}
