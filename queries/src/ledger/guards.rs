//! Conditions in front of values: what of them decides nothing.

use std::collections::BTreeSet;

use super::compare::condition;
use super::entry::{Entry, Event, How};
use super::{FileTables, Scope, lex, value};

/// Whether two rules come to the same once conditions that decide nothing are left out.
pub(super) fn same((old, new): (&Entry, &Entry), equal: &[Vec<String>]) -> bool {
    let told = |entry: &Entry| -> Vec<String> {
        entry.pieces.iter().map(|(piece, _)| decisive(piece)).collect()
    };
    let (was, is) = (told(old), told(new));
    let stand = |told: &[String], entry: &Entry| told.iter().eq(entry.pieces.iter().map(|p| &p.0));
    // A build's texts have no such conditions.
    new.scope != Scope::Build
        && !(stand(&was, old) && stand(&is, new))
        && was.len() == is.len()
        && was.iter().zip(&is).all(|(was, is)| value::same(was, is, equal))
}

/// A value without the condition that it is not empty: where it is, nothing is what it
/// gives either way.
fn decisive(piece: &str) -> String {
    let Some((asked, value)) = condition(piece) else { return piece.to_owned() };
    let name = value.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let empty = ["\"\"", "nil", "0"].map(|nothing| format!("{value} != {nothing}"));
    let kept: Vec<&str> =
        asked.split(" && ").filter(|part| !(name && empty.iter().any(|e| e == part))).collect();
    if kept.is_empty() { value.to_owned() } else { format!("[{}] {value}", kept.join(" && ")) }
}

/// Whether a build's conditions only ask an option by a name that comes with the commit,
/// in the place of one other.
pub(super) fn only_renames_option(files: &[FileTables], event: &Event) -> bool {
    let (Some(old), Some(new)) = (&event.old, &event.new) else { return false };
    if event.scope != Scope::Build || condition(old).is_none() {
        return false;
    }
    let words = |text: &str| -> Vec<String> {
        lex::tokens(text, 0).map(|token| token.text.to_owned()).collect()
    };
    let (was, is) = (words(old), words(new));
    let renamed: BTreeSet<(&String, &String)> =
        was.iter().zip(&is).filter(|(was, is)| was != is).collect();
    let mut renamed = renamed.into_iter();
    let (Some((_, name)), None) = (renamed.next(), renamed.next()) else { return false };
    let has = |after: bool| {
        let side =
            |file: &'_ FileTables| if after { file.after.clone() } else { file.before.clone() };
        files.iter().flat_map(side).any(|entry| entry.knob == *name)
    };
    was.len() == is.len() && !was.contains(name) && has(true) && !has(false)
}

/// Whether conditions only ask a rule that comes with the commit, or no longer ask one that
/// goes: what is decided stands, and the rule is a knob of its own.
pub(super) fn only_asks_rule(files: &[FileTables], event: &Event) -> bool {
    let has = |after: bool, word: &str| {
        let tables = files.iter().flat_map(|f| if after { &f.after } else { &f.before });
        tables.into_iter().any(|entry| entry.how == How::Rule && entry.knob == word)
    };
    let (Some(old), Some(new)) = (&event.old, &event.new) else { return false };
    let values = |text: &str| -> BTreeSet<String> {
        let pieces = text.split(" ; ");
        pieces.map(|piece| condition(piece).map_or(piece, |c| c.1).to_owned()).collect()
    };
    let moved = |text: &str, after: bool| {
        lex::tokens(text, 0).any(|word| has(after, word.text) && !has(!after, word.text))
    };
    event.scope != Scope::Build
        && (condition(old).is_some() || condition(new).is_some())
        && values(old) == values(new)
        && (moved(new, true) || moved(old, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_a_value_is_not_empty_decides_nothing() {
        assert_eq!(
            decisive("[on && kind != \"\" && f.Has(kind)] kind"),
            "[on && f.Has(kind)] kind"
        );
        assert_eq!(decisive("[kind != nil] kind"), "kind");
        assert_eq!(decisive("[kind != \"\"] other"), "[kind != \"\"] other");
        assert_eq!(decisive("[kind != \"a\"] kind"), "[kind != \"a\"] kind");
    }
}
