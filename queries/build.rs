//! Lists the rule files, so that a new file is built in by being there.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let dir = root.join("rules/classes");
    println!("cargo::rerun-if-changed={}", dir.display());
    let mut files = Vec::new();
    collect(&dir, &mut files)?;
    files.sort();
    let mut code = String::from(
        "/// Each file's path below `rules/classes`, and its text.\n\
         pub(super) const FILES: &[(&str, &str)] = &[\n",
    );
    for file in &files {
        let name = file.strip_prefix(&dir).unwrap_or(file).to_string_lossy().replace('\\', "/");
        let _ = writeln!(code, "    ({name:?}, include_str!({:?})),", file.to_string_lossy());
    }
    code.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("class_rules.rs"), code)
}

fn collect(dir: &Path, into: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, into)?;
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            into.push(path);
        }
    }
    Ok(())
}
