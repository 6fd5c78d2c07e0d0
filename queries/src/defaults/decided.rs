//! The proof of a decision at run time: its lines in a tree.

use headwater_store::StoredCommit;
use headwater_store::evidence::Evidence;
use headwater_store::objects::ObjectReader;
use regex::Regex;

use crate::QueryError;
use crate::ledger::Resolve;

/// The lines of a commit's tree that show a decision, one for each pattern; `None` where
/// one is not found, so that nothing is known of this version.
///
/// # Errors
/// Those of the store, and a pattern that does not compile.
pub fn shown(
    resolve: &Resolve,
    commit: &StoredCommit,
    reader: &mut ObjectReader,
) -> Result<Option<Vec<Evidence>>, QueryError> {
    let tree = commit.commit().tree;
    let mut out = Vec::new();
    for wanted in &resolve.evidence {
        let pattern = Regex::new(&wanted.pattern)
            .map_err(|e| QueryError::Rules { file: resolve.id.clone(), why: e.to_string() })?;
        let mut found = None;
        for path in &wanted.paths {
            let Some(bytes) = reader.file(tree, path)? else { continue };
            let text = String::from_utf8_lossy(&bytes);
            let line = text.lines().enumerate().find(|(_, line)| pattern.is_match(line));
            if let Some((at, line)) = line {
                let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
                found = Some(commit.evidence_line(path, None, number, line.trim()));
                break;
            }
        }
        match found {
            Some(evidence) => out.push(evidence),
            None => return Ok(None),
        }
    }
    Ok(Some(out))
}
