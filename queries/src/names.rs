//! Names that are like one that is not known.

use strsim::damerau_levenshtein;

/// How many names are told.
const MOST: usize = 3;

/// The nearest of the known names, the likest first.
pub(crate) fn nearest(asked: &str, known: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut all: Vec<(usize, String)> =
        known.into_iter().map(|name| (damerau_levenshtein(asked, &name), name)).collect();
    all.sort();
    all.dedup();
    all.into_iter().take(MOST).map(|(_, name)| name).collect()
}
