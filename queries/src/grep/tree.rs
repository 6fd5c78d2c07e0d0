//! Searching a whole tree at a revision, and reading one file of it.

use globset::GlobSet;
use headwater_store::evidence::Receipt;
use headwater_store::exact::Pattern;
use headwater_store::upstream::Upstream;
use headwater_store::{Oid, Store};
use serde::Serialize;

use super::verify::shown;
use crate::QueryError;
use crate::window::Resolver;

/// A line of a file that matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TreeHit {
    /// The file.
    pub path: String,
    /// The line's number.
    pub line: u32,
    /// The line: a stranger's text.
    pub text: String,
    /// Where it matches, in bytes of the text.
    pub spans: Vec<[usize; 2]>,
}

/// The answer to a search of a tree.
#[derive(Debug, Clone, Serialize)]
pub struct TreeAnswer {
    /// The upstream.
    pub upstream: String,
    /// The revision's name.
    pub revision: String,
    /// Its commit.
    pub sha: Oid,
    /// The lines that match, by path.
    pub matches: Vec<TreeHit>,
    /// Files that were read.
    pub files: u64,
    /// Files that were passed over since they are binary.
    pub binary: u64,
    /// Files whose text the object store lacks.
    pub missing: Vec<String>,
}

/// Searches the tree at a revision.
///
/// # Errors
/// Where the revision is not known, or its trees are in no object store.
pub fn grep_tree(
    store: &Store,
    upstream: &Upstream,
    revision: &str,
    pattern: &Pattern,
    globs: Option<&GlobSet>,
) -> Result<TreeAnswer, QueryError> {
    let resolved = Resolver::new(store, upstream)?.resolve(revision)?;
    let commit = resolved.commit.commit();
    let mut reader = store.objects(&upstream.name)?.reader();
    let mut answer = TreeAnswer {
        upstream: upstream.name.clone(),
        revision: resolved.name,
        sha: commit.oid,
        matches: Vec::new(),
        files: 0,
        binary: 0,
        missing: Vec::new(),
    };
    for (path, entry) in reader.files(commit.tree)? {
        if !entry.is_blob() || globs.is_some_and(|globs| !globs.is_match(&path)) {
            continue;
        }
        let Some(bytes) = reader.blob(entry.oid)? else {
            answer.missing.push(path);
            continue;
        };
        if bytes.iter().take(8000).any(|&byte| byte == 0) {
            answer.binary += 1;
            continue;
        }
        answer.files += 1;
        if bytes.is_empty() {
            continue;
        }
        let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        if !pattern.matches_any(&[b"\n", text].concat()) {
            continue;
        }
        for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
            if pattern.matches(line) {
                let (text, spans) = shown(pattern, line, true);
                answer.matches.push(TreeHit { path: path.clone(), line: number, text, spans });
            }
        }
    }
    Ok(answer)
}

/// One file at a revision.
#[derive(Debug, Clone)]
pub struct FileAt {
    /// The revision's name.
    pub revision: String,
    /// Its commit.
    pub sha: Oid,
    /// The file's object.
    pub blob: Oid,
    /// Its bytes, which that id proves.
    pub bytes: Vec<u8>,
    /// How the commit was obtained.
    pub receipt: Receipt,
}

/// Reads one file at a revision.
///
/// # Errors
/// Where the revision or the file is not known.
pub fn file_at(
    store: &Store,
    upstream: &Upstream,
    revision: &str,
    path: &str,
) -> Result<FileAt, QueryError> {
    let resolved = Resolver::new(store, upstream)?.resolve(revision)?;
    let commit = resolved.commit.commit();
    let mut reader = store.objects(&upstream.name)?.reader();
    let missing = || QueryError::NoFile {
        upstream: upstream.name.clone(),
        revision: resolved.name.clone(),
        path: path.to_owned(),
    };
    let entry =
        reader.entry(commit.tree, path)?.filter(|entry| entry.is_blob()).ok_or_else(missing)?;
    let bytes = reader.file(commit.tree, path)?.ok_or_else(missing)?;
    Ok(FileAt {
        revision: resolved.name.clone(),
        sha: commit.oid,
        blob: entry.oid,
        bytes,
        receipt: store.receipt(resolved.commit.receipt_id())?,
    })
}
