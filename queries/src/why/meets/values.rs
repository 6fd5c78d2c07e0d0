//! Values of defaults that are put together: parts, each with its condition, and lists of
//! architectures.

use std::collections::BTreeSet;

/// The parts of a value, each with its condition where it has one: `0 ; [A] 1`.
pub(super) fn parts(value: &str) -> Vec<(Option<&str>, &str)> {
    split(value).into_iter().map(part).collect()
}

/// Where `;` stands between parts, and not in a text.
fn split(value: &str) -> Vec<&str> {
    let (mut out, mut from, mut text) = (Vec::new(), 0, false);
    for (at, sign) in value.char_indices() {
        match sign {
            '"' => text = !text,
            ';' if !text && value.get(..at).is_some_and(|before| before.ends_with(' ')) => {
                out.push(value.get(from..at).unwrap_or_default().trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    out.push(value.get(from..).unwrap_or_default().trim());
    out
}

fn part(text: &str) -> (Option<&str>, &str) {
    let Some(rest) = text.strip_prefix('[') else { return (None, text) };
    let mut depth = 1_usize;
    for (at, sign) in rest.char_indices() {
        match sign {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let value = rest.get(at + 1..).unwrap_or_default().trim();
            return (rest.get(..at), value);
        }
    }
    (None, text)
}

/// The architectures for which a value changes: names that came to its lists or went, and
/// nothing else of it changed. `None` where more changed, or its lists are of something else.
pub(super) fn architectures(old: &str, new: &str) -> Option<BTreeSet<String>> {
    let (was, is) = (listed(old), listed(new));
    let (mut old, mut new) = (was, is);
    // Parts that stayed say nothing.
    old.retain(|one| match new.iter().position(|other| other == one) {
        Some(at) => {
            new.remove(at);
            false
        }
        None => true,
    });
    let mut names = BTreeSet::new();
    for one in old {
        let like = new.iter().position(|other| {
            other.frames == one.frames && other.asks_architecture && one.asks_architecture
        });
        match like {
            Some(at) => {
                let other = new.remove(at);
                names.extend(one.names.symmetric_difference(&other.names).cloned());
            }
            None => names.extend(one.alone()?),
        }
    }
    for one in new {
        names.extend(one.alone()?);
    }
    (!names.is_empty()).then_some(names)
}

/// One part of a value with its names taken out.
#[derive(Debug, PartialEq, Eq)]
struct Listed {
    /// What is left without the names.
    frames: String,
    names: BTreeSet<String>,
    asks_architecture: bool,
    /// Its condition is that the architecture is among the names, and no other.
    only_asks: bool,
}

impl Listed {
    /// The architectures that meet a part which came or went.
    fn alone(self) -> Option<BTreeSet<String>> {
        (self.only_asks && !self.names.is_empty()).then_some(self.names)
    }
}

fn listed(value: &str) -> Vec<Listed> {
    let one = |(condition, value): (Option<&str>, &str)| {
        let (asked, mut names, whole) = condition.map(named).unwrap_or_default();
        let (given, more, _) = named(value);
        names.extend(more);
        let asks = speaks_of_architecture(&asked) || speaks_of_architecture(&given);
        let only_asks = whole && speaks_of_architecture(&asked);
        let frames = format!("[{asked}] {given}");
        Listed { frames, names, asks_architecture: asks, only_asks }
    };
    parts(value).into_iter().map(one).collect()
}

fn speaks_of_architecture(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.contains("architecture") || text.contains("arch)") || text.contains("arch ")
}

/// A text without the names of its lists, those names, and whether it is one test of
/// membership and no more: `slices.Contains([]string{"a", "b"}, arch)`, `arch == "a"`,
/// `arch = "a", "b"`.
fn named(text: &str) -> (String, BTreeSet<String>, bool) {
    const OPENS: &str = "slices.Contains([]string{";
    let mut names = BTreeSet::new();
    let quoted = |text: &str, names: &mut BTreeSet<String>| -> bool {
        let all = text.split(',').map(str::trim).filter(|one| !one.is_empty());
        let all: Vec<Option<&str>> =
            all.map(|one| one.strip_prefix('"').and_then(|one| one.strip_suffix('"'))).collect();
        let is_list = !all.is_empty() && all.iter().all(Option::is_some);
        if is_list {
            names.extend(all.into_iter().flatten().map(str::to_owned));
        }
        is_list
    };
    let text = text.trim();
    // A single test is written as the list of one.
    for sign in [" == ", " = "] {
        let Some((what, list)) = text.split_once(sign) else { continue };
        let plain = !what.contains(['"', '&', '|', '!', ' ']);
        if plain && quoted(list, &mut names) {
            return (format!("{OPENS}}}, {what})"), names, true);
        }
    }
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("[]string{") {
        let inside = at + "[]string{".len();
        let Some(end) = rest.get(inside..).and_then(|after| after.find('}')) else { break };
        let list = rest.get(inside..inside + end).unwrap_or_default();
        out.push_str(rest.get(..inside).unwrap_or_default());
        if !quoted(list, &mut names) {
            out.push_str(list);
        }
        rest = rest.get(inside + end..).unwrap_or_default();
    }
    out.push_str(rest);
    let whole = out.starts_with(OPENS)
        && out.matches("[]string{").count() == 1
        && out.ends_with(')')
        && !out.contains("&&")
        && !out.contains("||");
    (out, names, whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(old: &str, new: &str) -> Option<Vec<String>> {
        architectures(old, new).map(|names| names.into_iter().collect())
    }

    #[test]
    fn names_that_come_or_go_are_told() {
        let list =
            |names: &str, what: &str| format!("slices.Contains([]string{{ {names} }}, {what})");
        let arch = "f.KV().String(\"general.architecture\")";
        let three = list("\"a\", \"b\", \"c-1\",", arch);
        assert_eq!(of(&list("\"a\", \"b\",", arch), &three).unwrap(), ["c-1"]);
        assert_eq!(of(&three, &list("\"c-1\", \"d\",", arch)).unwrap(), ["a", "b", "d"]);
        let one = "kv.Architecture() == \"a\"";
        assert_eq!(of(one, &list("\"a\", \"b\",", "kv.Architecture()")).unwrap(), ["b"]);
        // The list asks for something else, or more than the list changed.
        assert_eq!(of(&list("\"a\"", "kind"), &list("\"a\", \"b\"", "kind")), None);
        assert_eq!(of(&list("\"a\"", arch), &format!("!{}", list("\"a\", \"b\"", arch))), None);
        assert_eq!(of("false", "true"), None);
    }

    #[test]
    fn parts_whose_condition_is_an_architecture_are_its_own() {
        let old = "false ; [slices.Contains([]string{\"a\"}, arch)] false ; k == v";
        let new = "false ; [slices.Contains([]string{\"b\", \"c\"}, arch)] true ; [slices.Contains([]string{\"a\", \"d\"}, arch)] false ; k == v";
        assert_eq!(of(old, new).unwrap(), ["b", "c", "d"]);
        let old = "false ; [f.Architecture() == \"a\"] false ; k == v";
        assert_eq!(of(old, "false ; k == v").unwrap(), ["a"]);
        assert_eq!(of(old, "false ; k != v"), None);
        assert_eq!(of(old, "false ; [f.Architecture() != \"a\"] false ; k == v"), None);
        let old = "false ; [big && f.Architecture() == \"a\"] false ; k == v";
        assert_eq!(of(old, "false ; k == v"), None);
        assert_eq!(of("[m.arch = \"a\"] 1", "[m.arch = \"a\", \"b\"] 1").unwrap(), ["b"]);
    }

    #[test]
    fn never_panics() {
        proptest::proptest!(|(a in "[\\[\\]a{}\" ;=,é]{0,40}", b in "[\\[\\]a{}\" ;=,é]{0,40}")| {
            let _ = architectures(&a, &b);
        });
    }
}
