//! What was read of trees before with the same extractors: two versions share most of
//! their files, and a server is asked about many.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use headwater_store::Oid;

use super::{Entry, OptionTable};

/// So many trees are kept at hand.
const TREES: usize = 64;
/// So many tables.
const TABLES: usize = 8192;

/// A tree's files that any extractor reads, each with its blob.
pub(crate) type Files = Arc<[(String, Oid)]>;

/// A blob under a path of an upstream.
type Place = (String, String, Oid);

/// Trees and tables by object id. Whoever holds it has the extractors that read them.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    trees: Mutex<HashMap<(String, Oid), Files>>,
    tables: Mutex<HashMap<Place, Arc<[Entry]>>>,
    options: Mutex<HashMap<(String, Oid), Arc<OptionTable>>>,
}

impl Kept {
    /// The files of a tree.
    pub(crate) fn files<E>(
        &self,
        upstream: &str,
        tree: Oid,
        read: impl FnOnce() -> Result<Files, E>,
    ) -> Result<Files, E> {
        let key = (upstream.to_owned(), tree);
        kept(&self.trees, TREES, key, || read().map(Some)).map(Option::unwrap_or_default)
    }

    /// The table of one version of a file; `None`, which is not kept, where it is missing.
    pub(crate) fn table<E>(
        &self,
        upstream: &str,
        path: &str,
        blob: Oid,
        read: impl FnOnce() -> Result<Option<Arc<[Entry]>>, E>,
    ) -> Result<Option<Arc<[Entry]>>, E> {
        kept(&self.tables, TABLES, (upstream.to_owned(), path.to_owned(), blob), read)
    }

    /// The options that a file declares.
    pub(crate) fn options<E>(
        &self,
        upstream: &str,
        blob: Oid,
        read: impl FnOnce() -> Result<Option<Arc<OptionTable>>, E>,
    ) -> Result<Option<Arc<OptionTable>>, E> {
        kept(&self.options, TREES, (upstream.to_owned(), blob), read)
    }
}

/// Nothing is locked while it is read: two that ask at once read it twice.
fn kept<K: Eq + std::hash::Hash, V: Clone, E>(
    all: &Mutex<HashMap<K, V>>,
    most: usize,
    key: K,
    read: impl FnOnce() -> Result<Option<V>, E>,
) -> Result<Option<V>, E> {
    if let Ok(all) = all.lock()
        && let Some(known) = all.get(&key)
    {
        return Ok(Some(known.clone()));
    }
    let Some(value) = read()? else { return Ok(None) };
    if let Ok(mut all) = all.lock() {
        if all.len() >= most {
            all.clear();
        }
        all.insert(key, value.clone());
    }
    Ok(Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_asked_for_again_and_what_is_known_is_not() {
        let kept = Kept::default();
        let blob = "a".repeat(40).parse::<Oid>().unwrap();
        let mut asked = 0;
        for there in [false, true, true] {
            let read = || {
                asked += 1;
                Ok::<_, ()>(there.then(|| Arc::from(Vec::new())))
            };
            let table = kept.table("ollama", "a.go", blob, read).unwrap();
            assert_eq!(table.is_some(), there);
        }
        assert_eq!(asked, 2);
        // The same bytes elsewhere may be read by other extractors.
        let elsewhere = kept.table("ollama", "b.go", blob, || Ok::<_, ()>(None)).unwrap();
        assert!(elsewhere.is_none());
    }
}
