//! Searching commit messages.

use headwater_store::Store;

use super::answer::LineHit;
use super::request::Detail;
use super::scope::Commits;
use super::verify::{Check, Hits, shown};
use crate::QueryError;

/// The commits in scope whose messages match: their place in the list, and the lines.
pub(super) fn search(
    store: &Store,
    commits: &Commits<'_>,
    check: &Check<'_>,
) -> Result<Vec<(usize, Hits)>, QueryError> {
    let mut found = Vec::new();
    store.each_message(commits.id, |row, message| {
        let place = commits.list.binary_search_by_key(&row, |commit| commit.id).ok();
        let Some(place) = place.filter(|place| commits.inside[*place]) else { return };
        let mut hits = Hits::default();
        let matching = (1..)
            .zip(message.lines())
            .filter(|(_, line)| check.pattern.matches(line.as_bytes()))
            .take(check.most);
        for (number, line) in matching {
            hits.count += 1;
            if check.detail == Detail::Lines || check.detail == Detail::Files && hits.count == 1 {
                let (text, spans) = shown(check.pattern, line.as_bytes(), true);
                hits.lines.push(LineHit { path: None, side: None, line: number, text, spans });
            }
        }
        if hits.count > 0 {
            found.push((place, hits));
        }
    })?;
    Ok(found)
}
