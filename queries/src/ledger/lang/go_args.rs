//! Go: flags that one program takes or hands to another.

use std::collections::BTreeMap;

use regex::Regex;

use super::go_rule;
use super::{Found, guarded};
use crate::ledger::entry::How;
use crate::ledger::{lex, tree};

/// `append(params, "--flag", value)` of a function: the flags handed on, each with its
/// conditions. `given` says what the function's parameters are given.
pub(crate) fn passed(region: &str, given: &BTreeMap<String, String>) -> Vec<Found> {
    let mut out = Vec::new();
    let around = go_rule::names(region);
    for (parts, guards, at) in go_rule::calls(region, given) {
        let guards: Vec<String> = guards.iter().map(|guard| spelled_out(guard, given)).collect();
        for (n, part) in parts.iter().enumerate() {
            let Some(flag) = flag(part) else { continue };
            let value = parts.get(n + 1).filter(|v| self::flag(v).is_none());
            let value = value.map_or_else(|| "passed".to_owned(), |v| spelled_out(v, given));
            let how = if guards.is_empty() { super::how(&value) } else { How::Conditional };
            let found = Found::new(flag, guarded(&guards, &value), at);
            out.push(found.with(how).inside(&around));
        }
    }
    out
}

/// A text with the members that parameters are given in the parameters' places.
fn spelled_out(text: &str, given: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    let mut done = 0;
    let mut member = false;
    for token in lex::tokens(text, 0) {
        let path = |argument: &&String| {
            argument.contains('.')
                && argument.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
        };
        let known = given.get(token.text).filter(path);
        if let Some(argument) = known.filter(|_| token.kind == lex::Kind::Word && !member) {
            out.push_str(&text[done..token.start]);
            out.push_str(argument);
            done = token.end();
        }
        member = token.is(".");
    }
    out.push_str(&text[done..]);
    out
}

fn flag(part: &str) -> Option<String> {
    let text = part.strip_prefix('"')?.strip_suffix('"')?;
    let bare = text.trim_start_matches('-');
    (bare.len() < text.len() && bare.starts_with(|c: char| c.is_ascii_alphabetic()))
        .then(|| text.to_owned())
}

/// `fs.Int("flag", 4, "…")`: the flags of a program and their defaults.
pub(crate) fn declared(text: &str, call: &Regex) -> Vec<Found> {
    let mut out = Vec::new();
    for found in call.captures_iter(text) {
        let Some(whole) = found.get(0) else { continue };
        let Some((parts, _)) = lex::arguments(text, whole.end() - 1) else { continue };
        // `Var` forms have the variable first, `P` forms a short name after the name.
        let Some(first) = parts.iter().position(|p| p.1.starts_with('"')) else { continue };
        let short = parts
            .get(first + 1)
            .filter(|p| p.1.starts_with('"') && p.1.len() <= 3 && parts.len() > first + 3);
        let Some((at, value)) = parts.get(first + 1 + usize::from(short.is_some())) else {
            continue;
        };
        if parts.len() < first + 3 {
            continue;
        }
        let flag = format!("--{}", lex::unquote(parts[first].1));
        out.push(Found::new(flag, tree::flat(value), *at));
    }
    out
}
