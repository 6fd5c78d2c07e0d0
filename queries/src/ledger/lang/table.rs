//! Markdown: tables in which each row describes a knob and tells its default.

use regex::Regex;

use super::Found;
use crate::ledger::entry::{How, Scope};

/// The default that each row of a table tells. `default` finds it in a row; its
/// group `value` is the default.
pub(crate) fn table(text: &str, default: &Regex) -> Vec<Found> {
    let mut out = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let row = line.trim();
        if !row.starts_with('|') || row.starts_with("|-") || !row.contains("efault") {
            continue;
        }
        let Some(cell) = row.trim_start_matches('|').split('|').next() else { continue };
        let names = spellings(cell);
        let Some(knob) = names.iter().find(|n| n.starts_with("--")).or(names.first()) else {
            continue;
        };
        let Some(value) = default.captures(row).and_then(|c| c.name("value")) else { continue };
        let value = value.as_str().trim().trim_matches('`').trim_matches('"');
        let mut found =
            Found::new(knob.clone(), value, start).with(How::Literal).named(names.iter().cloned());
        found.scope = Some(Scope::Docs);
        out.push(found);
    }
    out
}

/// The knob's names in a row's first cell: flags, or one name.
fn spellings(cell: &str) -> Vec<String> {
    let clean = cell.replace(['`', '*'], " ");
    let words: Vec<&str> = clean.split([' ', ',']).filter(|w| !w.is_empty()).collect();
    let flags: Vec<String> = words
        .iter()
        .filter(|w| w.starts_with('-') && w.len() > 1)
        .map(|w| (*w).to_owned())
        .collect();
    if !flags.is_empty() {
        return flags;
    }
    match words.as_slice() {
        [one] if one.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
            vec![(*one).to_owned()]
        }
        _ => Vec::new(),
    }
}
