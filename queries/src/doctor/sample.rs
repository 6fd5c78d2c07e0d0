//! The checks that compare a sample of the records with what they were made from, and with
//! what was made from them.

use headwater_store::exact::{Lookup, Pattern, PatternOptions, each_changed};
use headwater_store::objects::align;
use headwater_store::{Oid, Store, UpstreamId};

use super::{Examination, Told};
use crate::QueryError;

/// So many commits are asked of git at once.
const AT_ONCE: usize = 32;
/// At most so many differences are told.
const TOLD: usize = 4;
/// So many entries are looked up in the index.
const ENTRIES: usize = 40;

/// Compares stored patches with what git says now.
pub(super) fn patches(
    store: &Store,
    id: UpstreamId,
    name: &str,
    examination: &Examination<'_>,
) -> Result<Told, QueryError> {
    let ids = store.sample(id, examination.sample, examination.seed)?;
    let objects = store.objects(name)?;
    let (mut files, mut bytes) = (0_u64, 0_u64);
    let mut wrong: Vec<String> = Vec::new();
    for ids in ids.chunks(AT_ONCE) {
        let stored = store.patches(id, ids)?;
        let asked: Vec<(Oid, Option<Oid>)> =
            stored.iter().map(|patch| (patch.patch().commit.oid, None)).collect();
        for (patch, diffs) in stored.iter().zip(objects.diffs(&asked)?) {
            let patch = patch.patch();
            for (file, diff) in patch.files.iter().zip(align(&patch.files, diffs)) {
                if file.gap {
                    continue; // what git shows there stands in for a missing blob
                }
                files += 1;
                bytes += file.hunks.len() as u64;
                if file.hunks != diff.hunks {
                    wrong.push(format!("{} {}", patch.commit.oid.short(), file.path));
                }
            }
        }
    }
    let looked =
        format!("{files} file changes of {} commits, {:.1} MB", ids.len(), bytes as f64 / 1e6);
    Ok(if wrong.is_empty() {
        Told::fine(format!("git says the same of {looked}"))
    } else {
        let more = wrong.len().saturating_sub(TOLD);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        wrong.truncate(TOLD);
        Told::problem(
            format!("git says otherwise of {}{more} (looked at {looked})", wrong.join(", ")),
            format!(
                "headwater --store NEW crawl {name} --from-git DIR, then put NEW in this store's place"
            ),
        )
    })
}

/// Looks up words of stored patches in the exact index, which must name the patch.
pub(super) fn entries(
    store: &Store,
    id: UpstreamId,
    examination: &Examination<'_>,
) -> Result<Told, QueryError> {
    let fix = "headwater rebuild exact";
    if !matches!(store.exact_state()?, headwater_store::IndexState::Current(_)) {
        return Ok(Told::problem("the exact index is not up to date", fix));
    }
    let index = store.exact(1)?;
    let (mut looked, mut lost) = (0, Vec::new());
    let ids = store.sample(id, examination.sample.min(ENTRIES), examination.seed)?;
    for (commit, row, text) in store.some_texts(&ids)? {
        let Some(word) = longest_word(&text) else { continue };
        looked += 1;
        let options = PatternOptions { fixed: true, ..PatternOptions::default() };
        let lookup = Lookup::new(&Pattern::new(&[&word], options)?, 1);
        let mut found = false;
        for segment in store.exact_segments(&index, id) {
            if (segment.first_row..=segment.last_row).contains(&row) {
                let read = |e| headwater_store::StoreError::Io {
                    path: segment.path().to_owned(),
                    source: e,
                };
                let rows = lookup.candidates(segment).map_err(read)?.rows;
                found |= rows.iter().any(|at| at + segment.first_row == row);
            }
        }
        if !found {
            lost.push(format!("{word:?} of {}", commit.short()));
        }
    }
    Ok(if lost.is_empty() {
        Told::fine(format!(
            "the exact index names {looked} of {looked} patches by a word of theirs"
        ))
    } else {
        Told::problem(format!("the exact index does not know {}", lost.join(", ")), fix)
    })
}

/// The longest word of the changed lines, for it is the rarest as a rule.
fn longest_word(hunks: &[u8]) -> Option<String> {
    let mut longest = String::new();
    each_changed(hunks, |_, _, line| {
        for word in line.split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_')) {
            if word.len() > longest.len() && word.len() < 60 {
                longest = String::from_utf8_lossy(word).into_owned();
            }
        }
    });
    (!longest.is_empty()).then_some(longest)
}
