//! Whether a flag is passed, as far as the options alone decide it.

use std::collections::HashMap;

use crate::ledger::Entry;

/// The options of a request by the names that the server's code has for them; nothing for
/// one that is unset.
pub(crate) type Options = HashMap<String, Option<String>>;

/// Whether a flag is passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Passed {
    /// It is, with this value.
    Yes(String),
    /// It is not.
    No,
    /// That depends on what no option says.
    Depends,
}

/// Whether a flag is passed, by its conditions in order.
pub(crate) fn passed(flag: &Entry, options: &Options) -> Passed {
    for (piece, _) in &flag.pieces {
        let (condition, value) = match piece.strip_prefix('[').and_then(|p| p.split_once("] ")) {
            Some((condition, value)) => (condition, value),
            None => return Passed::Yes(plain(piece, options)),
        };
        match holds(condition, options) {
            Some(true) => return Passed::Yes(plain(value, options)),
            Some(false) => {}
            None => return Passed::Depends,
        }
    }
    if flag.pieces.is_empty() { Passed::Depends } else { Passed::No }
}

/// A value that only writes an option out is that option's.
fn plain(value: &str, options: &Options) -> String {
    let inner = value.strip_prefix("strconv.Itoa(").and_then(|rest| rest.strip_suffix(')'));
    let option = inner.and_then(|inner| option(inner.trim_start_matches('*'), options));
    match option {
        Some(Some(known)) => known.clone(),
        _ => value.trim_matches('"').to_owned(),
    }
}

/// Whether a condition holds; `None` where it asks for anything but options.
fn holds(condition: &str, options: &Options) -> Option<bool> {
    let condition = bare(condition.trim());
    let parts = split(condition, "||");
    if parts.len() > 1 {
        let all: Vec<Option<bool>> = parts.iter().map(|part| holds(part, options)).collect();
        return match all.contains(&Some(true)) {
            true => Some(true),
            false => all.iter().all(|one| *one == Some(false)).then_some(false),
        };
    }
    let parts = split(condition, "&&");
    if parts.len() > 1 {
        let all: Vec<Option<bool>> = parts.iter().map(|part| holds(part, options)).collect();
        return match all.contains(&Some(false)) {
            true => Some(false),
            false => all.iter().all(|one| *one == Some(true)).then_some(true),
        };
    }
    if let Some(rest) = condition.strip_prefix('!').filter(|rest| rest.starts_with('(')) {
        return holds(rest, options).map(|holds| !holds);
    }
    let sign =
        ["==", "!=", "<=", ">=", "<", ">"].into_iter().find(|sign| condition.contains(sign))?;
    let (left, right) = condition.split_once(sign)?;
    let value = option(left.trim(), options)?;
    let right = right.trim();
    if right == "nil" {
        return match sign {
            "==" => Some(value.is_none()),
            "!=" => Some(value.is_some()),
            _ => None,
        };
    }
    let (a, b): (f64, f64) = (value.as_ref()?.parse().ok()?, right.parse().ok()?);
    Some(match sign {
        "==" => a == b,
        "!=" => a != b,
        "<=" => a <= b,
        ">=" => a >= b,
        "<" => a < b,
        _ => a > b,
    })
}

/// An option that code names: `opts.NumBatch`, `launch.opts.NumBatch`.
fn option<'o>(text: &str, options: &'o Options) -> Option<&'o Option<String>> {
    let (owner, name) = text.rsplit_once('.')?;
    let of_options = owner == "opts" || owner.ends_with(".opts") || owner.ends_with("Options");
    options.get(name).filter(|_| of_options)
}

/// Without parentheses around the whole.
fn bare(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return text;
    };
    let mut depth = 0i32;
    let closes_early = inner.chars().any(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    });
    if closes_early { text } else { bare(inner.trim()) }
}

/// The parts between a sign that stands outside of parentheses.
fn split<'t>(text: &'t str, sign: &str) -> Vec<&'t str> {
    let mut out = Vec::new();
    let (mut depth, mut from) = (0i32, 0);
    for (at, c) in text.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        let here = text.get(at..).is_some_and(|rest| rest.starts_with(sign));
        if depth == 0 && here && at >= from {
            out.push(text.get(from..at).unwrap_or_default());
            from = at + sign.len();
        }
    }
    out.push(text.get(from..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn options() -> Options {
        let one = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));
        [one("Batch", Some("512")), one("GPU", Some("-1")), one("Map", None)].into_iter().collect()
    }

    #[test]
    fn options_decide_what_they_can() {
        let told = |condition: &str| holds(condition, &options());
        assert_eq!(told("opts.Batch > 0"), Some(true));
        assert_eq!(told("launch.opts.GPU > 0"), Some(false));
        assert_eq!(told("!(launch.opts.GPU > 0) && launch.opts.GPU == 0"), Some(false));
        assert_eq!(told("opts.Map != nil && !*opts.Map"), Some(false));
        assert_eq!(told("opts.Map == nil || linux"), Some(true));
        assert_eq!(told("embedding && opts.Batch > 0"), None);
        assert_eq!(told("embedding && opts.Batch < 0"), Some(false));
        assert_eq!(told("(opts.Batch >= 512)"), Some(true));
        // Another's field of the same name decides nothing.
        assert_eq!(told("gpu.Batch > 0"), None);
        assert_eq!(told("opts.Unknown > 0"), None);
        assert_eq!(plain("strconv.Itoa(launch.opts.Batch)", &options()), "512");
        assert_eq!(
            plain("strconv.Itoa(opts.Batch * n)", &options()),
            "strconv.Itoa(opts.Batch * n)"
        );
    }

    proptest! {
        #[test]
        fn no_condition_makes_it_panic(text in "(opts\\.Batch|[!()&|<>= ]|nil|0|é){0,20}") {
            let _ = holds(&text, &options());
        }
    }
}
