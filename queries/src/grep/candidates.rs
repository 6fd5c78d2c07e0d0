//! The texts that may match, as the exact index tells them.

use headwater_store::Store;
use headwater_store::exact::{GivenUp, Lookup, Pattern};

use super::explain::{Condition, Explanation};
use super::scope::Commits;
use crate::QueryError;

/// The texts of one commit that may match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Texts {
    /// The commit's place in the list.
    pub commit: usize,
    /// The rows of the changes.
    pub rows: Vec<u32>,
}

/// What the index tells of one upstream.
pub(super) struct Candidates {
    /// By commit.
    pub texts: Vec<Texts>,
    /// All of them do match.
    pub exact: bool,
    pub explanation: Explanation,
}

/// Looks the pattern up. With `first`, where the answer is exact one text a commit is
/// enough.
pub(super) fn candidates(
    store: &Store,
    commits: &Commits<'_>,
    pattern: &Pattern,
    jobs: usize,
    first: bool,
) -> Result<Candidates, QueryError> {
    let index = store.exact(jobs)?;
    let lookup = Lookup::new(pattern, jobs);
    let mut texts: Vec<Texts> = Vec::new();
    let (mut exact, mut count, mut scanned) = (true, 0, false);
    let mut given_up: Vec<GivenUp> = Vec::new();
    for segment in store.exact_segments(&index, commits.id) {
        let read =
            |e| headwater_store::StoreError::Io { path: segment.path().to_owned(), source: e };
        let found = lookup.candidates(segment).map_err(read)?;
        exact &= found.exact;
        scanned |= found.scanned;
        for condition in found.given_up {
            if !given_up.contains(&condition) {
                given_up.push(condition);
            }
        }
        if found.rows.is_empty() {
            continue;
        }
        let groups = segment.groups().map_err(read)?;
        let mut group = 0;
        // The commit of the last group looked at, with its place if it is in scope.
        let mut known: Option<(usize, Option<usize>)> = None;
        for row in found.rows.iter().map(|row| row + segment.first_row) {
            while groups.get(group + 1).is_some_and(|next| next.first_row <= row) {
                group += 1;
            }
            let place = match known {
                Some((at, place)) if at == group => place,
                _ => {
                    let place = groups
                        .get(group)
                        .and_then(|group| commits.place(group.id))
                        .filter(|place| commits.inside[*place]);
                    known = Some((group, place));
                    place
                }
            };
            let Some(commit) = place else { continue };
            count += 1;
            match texts.last_mut() {
                Some(last) if last.commit == commit => {
                    if !(first && exact) {
                        last.rows.push(row);
                    }
                }
                _ => texts.push(Texts { commit, rows: vec![row] }),
            }
        }
    }
    let explanation = Explanation {
        upstream: commits.upstream.name.clone(),
        needs: lookup.plan().need.to_string(),
        scans: scanned,
        given_up: given_up
            .into_iter()
            .map(|it| Condition { needs: it.need.to_string(), why: it.why.to_string() })
            .collect(),
        exact,
        candidates: count,
        commits: texts.len() as u64,
    };
    Ok(Candidates { texts, exact, explanation })
}
