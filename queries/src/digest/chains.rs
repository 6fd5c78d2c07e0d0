//! Moves of one default within one time, one after the other.

use std::collections::HashMap;

use super::report::DefaultMoved;

/// Tells of each move which later one of the same default follows it, and which of them
/// come to nothing together. A value that was gone before a release had it was shipped
/// by none.
pub(super) fn joined(all: &mut [DefaultMoved]) {
    let mut chains: HashMap<(String, String, String), Vec<usize>> = HashMap::new();
    for (at, one) in all.iter().enumerate() {
        let key = (one.upstream.clone(), one.path.clone(), one.knob.clone());
        chains.entry(key).or_default().push(at);
    }
    for mut chain in chains.into_values() {
        chain.sort_by_key(|at| all[*at].date);
        for pair in chain.windows(2) {
            let next = all[pair[1]].sha;
            all[pair[0]].moved_on = Some(next);
        }
        let mut from = 0;
        while from < chain.len() {
            let before = all[chain[from]].old.clone();
            // The last return counts: what lies before it has all come to nothing.
            match (from..chain.len()).rev().find(|at| all[chain[*at]].new == before) {
                Some(back) => {
                    for at in &chain[from..=back] {
                        all[*at].undone = true;
                    }
                    from = back + 1;
                }
                None => from += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use headwater_store::Oid;
    use headwater_store::evidence::Grade;

    use super::*;

    fn moves(values: &[&str]) -> Vec<DefaultMoved> {
        let day = |n: i64| chrono::DateTime::from_timestamp(n * 86_400, 0).unwrap();
        let one = |(at, pair): (usize, &[&str])| DefaultMoved {
            id: at.to_string(),
            upstream: "up".to_owned(),
            sha: Oid::from_bytes([u8::try_from(at).unwrap() + 1; 20]),
            subject: String::new(),
            date: day(i64::try_from(at).unwrap()),
            knob: "knob".to_owned(),
            scope: "server".to_owned(),
            old: pair[0].to_owned(),
            new: pair[1].to_owned(),
            path: "a".to_owned(),
            line: 1,
            also: Vec::new(),
            first_shipped: None,
            moved_on: None,
            undone: false,
            restore: Vec::new(),
            reaches: Vec::new(),
            unless: None,
            models: 0,
            grade: Grade::Rule,
        };
        values.windows(2).enumerate().map(one).collect()
    }

    fn undone(values: &[&str]) -> Vec<bool> {
        let mut all = moves(values);
        joined(&mut all);
        all.into_iter().map(|one| one.undone).collect()
    }

    #[test]
    fn what_comes_back_has_not_moved() {
        assert_eq!(undone(&["a", "b"]), [false]);
        assert_eq!(undone(&["a", "b", "a"]), [true, true]);
        assert_eq!(undone(&["a", "b", "a", "c"]), [true, true, false]);
        assert_eq!(undone(&["a", "b", "c", "b"]), [false, true, true]);
        assert_eq!(undone(&["a", "b", "c", "a"]), [true, true, true]);
        let mut all = moves(&["a", "b", "c"]);
        joined(&mut all);
        assert_eq!(all[0].moved_on, Some(all[1].sha));
        assert_eq!(all[1].moved_on, None);
    }
}
