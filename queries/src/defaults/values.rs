//! The value of every knob at one version, with what set it.

use super::{EventRow, ValueRow};
use crate::derive::tree_tables::Placed;

/// The values as rows, each with the last event that set it.
pub(super) fn rows(tables: &[Placed], events: &[EventRow]) -> Vec<ValueRow> {
    let mut last: std::collections::HashMap<(&str, &str), &EventRow> = Default::default();
    for event in events.iter().filter(|e| e.new.is_some()) {
        last.insert((event.knob.as_str(), event.scope.as_str()), event);
    }
    let row = |Placed { path, entry }: &Placed| {
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
