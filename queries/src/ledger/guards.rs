//! Conditions in front of values: what of them decides nothing.

use super::compare::condition;
use super::entry::{Entry, Scope};
use super::value;

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
