//! Which commit of a window stands behind a toggled knob.

use headwater_store::Toggle;

use crate::ledger::{same_value, spelling};
use crate::why::DefaultEvent;

/// The moved defaults that a toggle undoes: the knob goes by that name (or a way back to
/// the old value does), and the toggled value is what it was before.
pub fn moved_by<'e>(toggle: &Toggle, events: &'e [DefaultEvent]) -> Vec<&'e DefaultEvent> {
    named(toggle, events)
        .filter(|event| event.old.as_deref().is_some_and(|old| same_setting(old, &toggle.value)))
        .collect()
}

/// The moved defaults of the knob that a toggle names, whatever its value.
pub(super) fn named<'e>(
    toggle: &Toggle,
    events: &'e [DefaultEvent],
) -> impl Iterator<Item = &'e DefaultEvent> {
    let moved = events.iter().filter(|event| event.old.is_some() && event.new.is_some());
    let counts = moved.filter(|event| !matches!(event.scope.as_str(), "docs" | "bench"));
    let asked = last(&toggle.knob);
    counts.filter(move |event| {
        let way = |text: &str| {
            text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')))
                .any(|word| word.len() > 2 && spelling(word) == spelling(&toggle.knob))
        };
        last(&event.knob) == asked || event.restore.iter().any(|restore| way(&restore.text))
    })
}

/// The last part of a knob's name, without signs.
fn last(knob: &str) -> String {
    spelling(knob.rsplit('.').next().unwrap_or(knob))
}

/// Whether two values of a setting mean the same: `1.1` and `1.10` do, and an enum's
/// constant and its last word (`LLAMA_LOAD_MODE_MMAP`, `mmap`).
pub fn same_setting(a: &str, b: &str) -> bool {
    let plain = |text: &str| {
        text.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '-').to_lowercase()
    };
    let constant = |long: &str, short: &str| {
        !short.is_empty() && long.strip_suffix(short).is_some_and(|rest| rest.ends_with('_'))
    };
    let (x, y) = (plain(a), plain(b));
    let numbers = matches!((x.parse::<f64>(), y.parse::<f64>()), (Ok(x), Ok(y)) if x == y);
    same_value(a, b) || numbers || (!x.is_empty() && x == y) || constant(&x, &y) || constant(&y, &x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::shown::testing::event;

    fn toggle(knob: &str, value: &str) -> Toggle {
        Toggle { knob: knob.into(), value: value.into() }
    }

    #[test]
    fn a_knob_goes_by_its_name_its_flag_and_its_variable() {
        let events = [
            event("repeat_penalty", "request-option", "1.1", "1.0", "PARAMETER repeat_penalty 1.1"),
            event("repeat_penalty", "docs", "1.1", "1.0", ""),
            event(
                "common_params.load_mode",
                "context",
                "LLAMA_LOAD_MODE_MMAP",
                "LLAMA_LOAD_MODE_AUTO",
                "LLAMA_ARG_LOAD_MODE=mmap (environment)",
            ),
        ];
        let found = |knob: &str, value: &str| {
            let found = moved_by(&toggle(knob, value), &events);
            found.iter().map(|e| e.knob.clone()).collect::<Vec<_>>()
        };
        assert_eq!(found("repeat_penalty", "1.10"), ["repeat_penalty"]);
        assert!(found("repeat_penalty", "1.2").is_empty(), "not the old default");
        assert!(found("top_k", "40").is_empty());
        for knob in ["load_mode", "--load-mode", "LLAMA_ARG_LOAD_MODE"] {
            assert_eq!(found(knob, "mmap"), ["common_params.load_mode"], "{knob}");
        }
    }

    #[test]
    fn values_mean_the_same_however_they_are_written() {
        assert!(same_setting("1.1", "1.10") && same_setting("\"auto\"", "auto"));
        assert!(same_setting("LLAMA_LOAD_MODE_MMAP", "mmap") && !same_setting("auto", "mmap"));
        assert!(!same_setting("1", "-1") && !same_setting("11", "1"));
    }
}
