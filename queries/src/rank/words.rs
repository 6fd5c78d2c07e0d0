//! How rare words are in the built-in upstreams, counted over their whole histories and
//! shipped: a store that holds one window ranks it as one that holds everything does.
//!
//! A file is a head (a mark, the number of commits, the number of terms in each field)
//! and one entry a term, in the order of ids: the first six bytes of the id, then for
//! each field in how many commits the term stands there, on a logarithmic scale of one
//! byte. `headwater rank-check --write-words DIR` makes the files anew.

use headwater_store::{CommitId, Store, UpstreamId};

use super::corpus::CorpusStats;
use super::facets::Facets;
use super::tokens::TermId;
use crate::QueryError;

/// The files, by upstream.
const SHIPPED: &[(&str, &[u8])] = &[
    ("ollama", include_bytes!("../../rules/words/ollama.bin")),
    ("llama.cpp", include_bytes!("../../rules/words/llama.cpp.bin")),
];
const MARK: &[u8; 8] = b"hwwords1";
const FIELDS: usize = 6;
const HEAD: usize = 8 + 8 + 8 * FIELDS;
const ID: usize = 6;
const ENTRY: usize = ID + FIELDS;
/// A term that stands in fewer commits than this in every field is left out.
const FEWEST: u32 = 8;
/// What a term that was left out counts for.
const RARE: u32 = 2;
/// The scale's step.
const STEP: f64 = 1.05;

/// The counts of these terms in an upstream whose words are shipped.
pub fn shipped(upstream: &str, terms: impl Iterator<Item = TermId>) -> Option<CorpusStats> {
    let (_, file) = SHIPPED.iter().find(|(name, _)| *name == upstream)?;
    let (head, entries) = file.split_at_checked(HEAD)?;
    let mut numbers = head.strip_prefix(MARK)?.chunks_exact(8).map(number);
    let mut stats = CorpusStats { commits: numbers.next()?, ..CorpusStats::default() };
    for len in &mut stats.lens {
        *len = numbers.next()?;
    }
    for term in terms {
        stats.df.insert(term, find(entries, term).unwrap_or([RARE; FIELDS]));
    }
    Some(stats)
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn find(entries: &[u8], term: TermId) -> Option<[u32; FIELDS]> {
    let wanted = &term.to_be_bytes()[..ID];
    let (mut low, mut high) = (0, entries.len() / ENTRY);
    while low < high {
        let middle = low.midpoint(high);
        let entry = entries.get(middle * ENTRY..(middle + 1) * ENTRY)?;
        let (id, counts) = entry.split_at(ID);
        match id.cmp(wanted) {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => {
                let mut found = [0; FIELDS];
                found.iter_mut().zip(counts).for_each(|(slot, byte)| *slot = from_scale(*byte));
                return Some(found);
            }
        }
    }
    None
}

/// Whether an upstream's words are shipped, so that no store need count them.
pub fn are_shipped(upstream: &str) -> bool {
    SHIPPED.iter().any(|(name, _)| *name == upstream)
}

/// The words of an upstream of which all of history is stored, as a file to ship.
///
/// # Errors
/// Those of the store.
pub fn file(store: &Store, upstream: UpstreamId) -> Result<Vec<u8>, QueryError> {
    let facets = Facets::shipped()?;
    let mut stats = CorpusStats::default();
    for ids in store.commit_ids_after(upstream, CommitId::NONE)?.chunks(512) {
        let commits = store.commits(upstream, ids)?;
        let features = super::stored::features(store, &facets, &commits)?;
        // A merge repeats what its members say.
        features.iter().filter(|f| f.parents.len() < 2).for_each(|f| stats.add(f));
    }
    let mut out = MARK.to_vec();
    out.extend_from_slice(&stats.commits.to_le_bytes());
    stats.lens.iter().for_each(|len| out.extend_from_slice(&len.to_le_bytes()));
    let mut terms: Vec<(TermId, [u32; FIELDS])> = stats.df.into_iter().collect();
    terms.retain(|(_, counts)| counts.iter().any(|count| *count >= FEWEST));
    terms.sort_unstable();
    terms.dedup_by_key(|(term, _)| *term >> 16);
    for (term, counts) in terms {
        out.extend_from_slice(&term.to_be_bytes()[..ID]);
        out.extend(counts.map(to_scale));
    }
    Ok(out)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within 1..=255
fn to_scale(count: u32) -> u8 {
    match count {
        0 => 0,
        count => (1.0 + f64::from(count).ln() / STEP.ln()).round().clamp(1.0, 255.0) as u8,
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most 1.05^254
fn from_scale(byte: u8) -> u32 {
    match byte {
        0 => 0,
        byte => STEP.powi(i32::from(byte) - 1).round() as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::tokens::term_id;

    #[test]
    fn the_scale_keeps_counts_within_a_few_in_a_hundred() {
        for count in [0, 1, 2, 3, 9, 50, 1234, 10_588, 200_000] {
            let back = from_scale(to_scale(count));
            assert!(back.abs_diff(count) * 33 <= count, "{count} {back}");
        }
    }

    #[test]
    fn common_words_are_common_and_the_files_are_in_order() {
        for (name, file) in SHIPPED {
            let entries: Vec<&[u8]> = file[HEAD..].chunks_exact(ENTRY).collect();
            assert!(entries.len() > 10_000, "{name}");
            assert!(entries.windows(2).all(|pair| pair[0][..ID] < pair[1][..ID]), "{name}");
            let (common, rare) = (term_id("model"), term_id("qzxvq"));
            let stats = shipped(name, [common, rare].into_iter()).unwrap();
            assert!(stats.commits > 5000);
            assert!(stats.df[&common].iter().sum::<u32>() > 500, "{:?}", stats.df[&common]);
            assert_eq!(stats.df[&rare], [RARE; FIELDS]);
        }
        assert!(shipped("whisper.cpp", std::iter::empty()).is_none());
    }
}
