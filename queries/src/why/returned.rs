//! Defaults that move within a window, and are back at its head.

use std::collections::HashMap;

use super::known::Known;
use crate::ledger::same_value;

/// Marks the moves of values that the head has as the base had them.
pub(super) fn mark(head: &str, known: &mut [Known<'_>]) {
    let mut order: Vec<usize> = (0..known.len()).collect();
    let committed = |at: &usize| known.get(*at).map(|one| one.patch.stored().commit().committed);
    order.sort_by_key(committed);
    let mut moves: HashMap<(String, String, String), Vec<(usize, usize)>> = HashMap::new();
    for at in order {
        for (event, moved) in
            known.get(at).into_iter().flat_map(|one| one.events.iter().enumerate())
        {
            let key = (moved.knob.clone(), moved.scope.clone(), moved.path.clone());
            moves.entry(key).or_default().push((at, event));
        }
    }
    for places in moves.into_values().filter(|places| places.len() > 1) {
        let values: Vec<(Option<String>, Option<String>)> = places
            .iter()
            .filter_map(|(at, event)| known.get(*at)?.events.get(*event))
            .map(|event| (event.old.clone(), event.new.clone()))
            .collect();
        if !returns(&values) {
            continue;
        }
        for (at, event) in places {
            let found = known.get_mut(at).and_then(|one| one.events.get_mut(event));
            if let Some(event) = found {
                event.back_by = Some(head.to_owned());
            }
        }
    }
}

/// Whether moves follow one from the other, and the last leads to where the first began.
fn returns(values: &[(Option<String>, Option<String>)]) -> bool {
    let same = |a: &Option<String>, b: &Option<String>| match (a, b) {
        (Some(a), Some(b)) => same_value(a, b),
        (a, b) => a == b,
    };
    let follows = values.windows(2).all(|two| match two {
        [(_, new), (old, _)] => same(new, old),
        _ => true,
    });
    let ends = values.first().zip(values.last());
    follows && ends.is_some_and(|((old, _), (_, new))| same(old, new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_back_where_its_moves_lead_to_where_they_began() {
        let of = |moves: &[(&str, &str)]| {
            let side = |value: &str| (value != "none").then(|| value.to_owned());
            let values: Vec<_> = moves.iter().map(|(a, b)| (side(a), side(b))).collect();
            returns(&values)
        };
        assert!(of(&[("1.1", "1.0"), ("1.0", "1.1")]));
        assert!(of(&[("none", "a"), ("a", "b"), ("b", "none")]));
        assert!(!of(&[("1", "2"), ("2", "3")]));
        assert!(!of(&[("1", "2"), ("3", "1")]), "another move lies between");
        assert!(!of(&[]));
    }
}
