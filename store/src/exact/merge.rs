//! Making one segment of several.

use super::dictionary::{RowList, TooLarge, Writer, decode};
use super::runs::Runs;
use super::segment::Parts;

/// Merges segments, which come in the order of their rows.
pub fn merge(mut parts: Vec<Parts>) -> Result<Option<Parts>, TooLarge> {
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return Ok(None) };
    let (first_row, last_row) = (first.first_row, last.last_row);
    if parts.len() == 1 {
        return Ok(parts.into_iter().next());
    }
    let shifts: Vec<u32> =
        parts.iter().map(|part| part.first_row.saturating_sub(first_row)).collect();
    let words: Vec<&Writer> = parts.iter().map(|part| &part.words).collect();
    let marks: Vec<&Writer> = parts.iter().map(|part| &part.marks).collect();
    let (words, marks) = (dictionaries(&words, &shifts)?, dictionaries(&marks, &shifts)?);
    let mut groups = Vec::new();
    let mut lines = Runs::default();
    for part in &mut parts {
        let more = std::mem::take(&mut part.lines);
        if lines.len() == 0 {
            lines = more;
        } else {
            lines.append(&more)?;
        }
    }
    for group in parts.into_iter().flat_map(|part| part.groups) {
        // A commit whose rows two segments share is still one commit.
        if groups.last().is_none_or(|last: &super::segment::Group| last.id != group.id) {
            groups.push(group);
        }
    }
    Ok(Some(Parts { first_row, last_row, groups, words, marks, lines }))
}

fn dictionaries(sources: &[&Writer], shifts: &[u32]) -> Result<Writer, TooLarge> {
    let mut cursors: Vec<_> = sources.iter().map(|source| source.iter().peekable()).collect();
    let mut merged = Writer::default();
    let mut list = RowList::default();
    loop {
        let Some(run) = cursors.iter_mut().filter_map(|c| c.peek().map(|(run, _)| *run)).min()
        else {
            return Ok(merged);
        };
        list.clear();
        for (cursor, shift) in cursors.iter_mut().zip(shifts) {
            if let Some((_, rows)) = cursor.next_if(|(other, _)| *other == run) {
                decode(rows, |row| list.push(row.saturating_add(*shift)));
            }
        }
        merged.push(run, list.bytes())?;
    }
}
