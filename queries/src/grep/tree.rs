//! Searching a whole tree at a revision, and reading one file of it.

use headwater_store::evidence::Receipt;
use headwater_store::exact::Pattern;
use headwater_store::upstream::Upstream;
use headwater_store::{Oid, Store};
use schemars::JsonSchema;
use serde::Serialize;

use super::request::{Detail, GrepRequest};
use super::verify::shown;
use crate::QueryError;
use crate::window::Resolver;

/// A line of a file that matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TreeHit {
    /// The file.
    pub path: String,
    /// The line's number.
    pub line: u32,
    /// The line: a stranger's text.
    pub text: String,
    /// Where it matches, in bytes of the text; nowhere for a line around a match.
    pub spans: Vec<[usize; 2]>,
}

/// How many lines of a file match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileCount {
    /// The file.
    pub path: String,
    /// How many lines match.
    pub lines: u64,
}

/// The answer to a search of a tree.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TreeAnswer {
    /// The upstream.
    pub upstream: String,
    /// The revision's name.
    pub revision: String,
    /// Its commit.
    pub sha: Oid,
    /// The lines that match, by path.
    pub matches: Vec<TreeHit>,
    /// The files with lines that match.
    pub counts: Vec<FileCount>,
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
    request: &GrepRequest<'_>,
    upstream: &Upstream,
    revision: &str,
) -> Result<TreeAnswer, QueryError> {
    let (pattern, globs) = (request.pattern()?, request.globs()?);
    let resolved = Resolver::new(store, upstream)?.resolve(revision)?;
    let commit = resolved.commit.commit();
    let mut reader = store.objects(&upstream.name)?.reader();
    let mut answer = TreeAnswer {
        upstream: upstream.name.clone(),
        revision: resolved.name,
        sha: commit.oid,
        matches: Vec::new(),
        counts: Vec::new(),
        files: 0,
        binary: 0,
        missing: Vec::new(),
    };
    for (path, entry) in reader.files(commit.tree)? {
        if !entry.is_blob() || globs.as_ref().is_some_and(|globs| !globs.is_match(&path)) {
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
        let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
        let most = request.most.unwrap_or(usize::MAX);
        let found: Vec<usize> =
            (0..lines.len()).filter(|&at| pattern.matches(lines[at])).take(most).collect();
        if found.is_empty() {
            continue;
        }
        if request.detail == Detail::Lines {
            add_lines(&pattern, &path, &lines, &found, request.context, &mut answer.matches);
        }
        answer.counts.push(FileCount { path, lines: found.len() as u64 });
    }
    Ok(answer)
}

/// Adds the lines that match, and so many around each of them.
fn add_lines(
    pattern: &Pattern,
    path: &str,
    lines: &[&[u8]],
    found: &[usize],
    context: usize,
    matches: &mut Vec<TreeHit>,
) {
    let mut shown_through = 0;
    for &at in found {
        let last = at.saturating_add(context).min(lines.len() - 1);
        let first = at.saturating_sub(context).max(shown_through);
        for (near, line) in lines.iter().enumerate().take(last + 1).skip(first) {
            let (text, spans) = shown(pattern, line, found.binary_search(&near).is_ok());
            let line = u32::try_from(near + 1).unwrap_or(u32::MAX);
            matches.push(TreeHit { path: path.to_owned(), line, text, spans });
        }
        shown_through = shown_through.max(last + 1);
    }
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
