//! The value of every knob at one version: read from its tree.

use headwater_store::upstream::Upstream;
use headwater_store::{Oid, Store};

use super::{EventRow, ValueRow};
use crate::QueryError;
use crate::derive::tree_tables::{PathTable, tree_tables};
use crate::ledger::{Entry, Extractors};

/// Every table of a tree, with its path.
pub(super) fn at(
    store: &Store,
    upstream: &Upstream,
    extractors: &Extractors,
    tree: Oid,
) -> Result<Vec<(String, Entry)>, QueryError> {
    let tables = tree_tables(store, extractors, &upstream.name, tree, &|_, _| true)?;
    let each = |(path, table): PathTable| {
        table.iter().map(|entry| (path.clone(), entry.clone())).collect::<Vec<_>>()
    };
    Ok(tables.into_iter().flat_map(each).collect())
}

/// The values as rows, each with the last event that set it.
pub(super) fn rows(tables: &[(String, Entry)], events: &[EventRow]) -> Vec<ValueRow> {
    let mut last: std::collections::HashMap<(&str, &str), &EventRow> = Default::default();
    for event in events.iter().filter(|e| e.new.is_some()) {
        last.insert((event.knob.as_str(), event.scope.as_str()), event);
    }
    let row = |(path, entry): &(String, Entry)| {
        let event = last.get(&(entry.knob.as_str(), entry.scope.name()));
        ValueRow {
            knob: entry.knob.clone(),
            scope: entry.scope.name().to_owned(),
            value: entry.value.clone(),
            how: entry.how.clone(),
            path: path.clone(),
            line: entry.line,
            since: event.map(|e| e.sha),
            since_shipped: event.and_then(|e| e.first_shipped.clone()),
            before: event.and_then(|e| e.old.clone()),
            names: entry.names.clone(),
        }
    };
    tables.iter().map(row).collect()
}
