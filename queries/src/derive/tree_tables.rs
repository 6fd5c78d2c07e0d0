//! The tables of a whole tree.

use std::sync::Arc;

use headwater_store::{Oid, Store, StoreError};

use super::default_events::Tables;
use crate::QueryError;
use crate::ledger::{Entry, Extractors, Scope};

/// A file's path, and its table.
pub(crate) type PathTable = (String, Arc<[Entry]>);

/// A default, and the file that holds it.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    pub path: String,
    pub entry: Entry,
}

/// Every default of a tree that an extractor of a wanted id or scope reads.
pub(crate) fn placed(
    store: &Store,
    extractors: &Extractors,
    upstream: &str,
    tree: Oid,
    wanted: &dyn Fn(&str, Scope) -> bool,
) -> Result<Vec<Placed>, QueryError> {
    let tables = tree_tables(store, extractors, upstream, tree, wanted)?;
    let each = |(path, table): PathTable| {
        let placed = |entry: &Entry| Placed { path: path.clone(), entry: entry.clone() };
        table.iter().map(placed).collect::<Vec<_>>()
    };
    Ok(tables.into_iter().flat_map(each).collect())
}

/// The path and the table of each file of a tree that an extractor of a wanted id or scope
/// reads. A file whose blob is missing has an empty one.
pub(crate) fn tree_tables(
    store: &Store,
    extractors: &Extractors,
    upstream: &str,
    tree: Oid,
    wanted: &dyn Fn(&str, Scope) -> bool,
) -> Result<Vec<PathTable>, QueryError> {
    let objects = store.objects(upstream)?;
    let mut tables = Tables::new(objects.reader(), extractors, upstream);
    let files = extractors.kept.files(upstream, tree, || {
        let files = tables.reader().files(tree)?.into_iter();
        let read =
            files.filter(|(path, entry)| entry.is_blob() && extractors.reads(upstream, path));
        Ok::<_, StoreError>(read.map(|(path, entry)| (path, entry.oid)).collect())
    })?;
    let mut out = Vec::new();
    for (path, blob) in files.iter() {
        let readers = extractors.readers(upstream, path);
        if !readers.iter().any(|(id, scope)| wanted(id, *scope)) {
            continue;
        }
        let table = extractors.kept.table(upstream, path, *blob, || {
            Ok::<_, StoreError>(tables.table(*blob, path)?.map(Arc::from))
        })?;
        out.push((path.clone(), table.unwrap_or_default()));
    }
    Ok(out)
}
