//! Two values of one default, each on part of a line.

/// Both values, no longer than `most` characters each: where they are long, what they
/// share at their ends is left out, so that it is seen in what they differ.
pub fn both(old: &str, new: &str, most: usize) -> (String, String) {
    let [old, new] = [old, new].map(|value| value.chars().collect::<Vec<char>>());
    let all = |value: &[char]| value.iter().collect::<String>();
    if old.len() <= most && new.len() <= most {
        return (all(&old), all(&new));
    }
    let shorter = old.len().min(new.len());
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let end = end.min(shorter - start);
    // Some of what is shared says where one is.
    let beside = most / 4;
    let from = start.saturating_sub(beside);
    let cut = |value: &[char]| {
        let to = if end > beside { value.len() - (end - beside) } else { value.len() };
        let (before, kept) = value.split_at(from);
        let kept = kept.get(..to - from).unwrap_or(kept);
        let mut text = if before.is_empty() { String::new() } else { "…".to_owned() };
        text.extend(kept.iter().take(most));
        if kept.len() > most || to < value.len() {
            text.push('…');
        }
        text
    };
    (cut(&old), cut(&new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_show_where_they_differ() {
        assert_eq!(both("1.1", "1.0", 10), ("1.1".to_owned(), "1.0".to_owned()));
        let condition = "if the card has unified memory and the graph is small, then ";
        let (old, new) = both(
            &format!("{condition}2 of them, else none at all"),
            &format!("{condition}4 of them, else none at all"),
            24,
        );
        assert_eq!((old.as_str(), new.as_str()), ("… then 2 of th…", "… then 4 of th…"));
        let (old, new) = both("short", &"long ".repeat(20), 12);
        assert_eq!((old.as_str(), new.as_str()), ("short", "long long lo…"));
        let [a, b] = ["a", "b"].map(|end| format!("{} -{end}", "é".repeat(80)));
        let (a, b) = both(&a, &b, 60);
        assert!(a.starts_with('…') && a.ends_with(" -a") && b.ends_with(" -b"), "{a} {b}");
    }

    proptest::proptest! {
        #[test]
        fn both_fit_and_differ_where_they_do(
            shared in "\\PC{0,40}", old in "\\PC{0,30}", new in "\\PC{0,30}", end in "\\PC{0,40}",
        ) {
            let (before, after) = (format!("{shared}{old}{end}"), format!("{shared}{new}{end}"));
            let (a, b) = both(&before, &after, 20);
            proptest::prop_assert!(a.chars().count() <= 22 && b.chars().count() <= 22);
            if before.chars().count() <= 20 && after.chars().count() <= 20 {
                proptest::prop_assert_eq!((a, b), (before, after));
            }
        }
    }
}
