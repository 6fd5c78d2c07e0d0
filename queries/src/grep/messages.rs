//! Searching commit messages.

use headwater_store::Store;
use headwater_store::exact::Pattern;

use super::answer::LineHit;
use super::scope::Commits;
use super::verify::shown;
use crate::QueryError;

/// The commits in scope whose messages match: their place in the list, and the lines.
pub(super) fn search(
    store: &Store,
    commits: &Commits<'_>,
    pattern: &Pattern,
    most: usize,
) -> Result<Vec<(usize, Vec<LineHit>)>, QueryError> {
    let mut found = Vec::new();
    store.each_message(commits.id, |row, message| {
        let place = commits.list.binary_search_by_key(&row, |commit| commit.id).ok();
        let Some(place) = place.filter(|place| commits.inside[*place]) else { return };
        let lines: Vec<LineHit> = (1..)
            .zip(message.lines())
            .filter(|(_, line)| pattern.matches(line.as_bytes()))
            .take(most)
            .map(|(number, line)| {
                let (text, spans) = shown(pattern, line.as_bytes(), true);
                LineHit { path: None, side: None, line: number, text, spans }
            })
            .collect();
        if !lines.is_empty() {
            found.push((place, lines));
        }
    })?;
    Ok(found)
}
