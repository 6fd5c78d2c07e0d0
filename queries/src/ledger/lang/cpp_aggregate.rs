//! C and C++: initialiser lists that name their fields in comments, and the
//! assignments that follow them.

use super::{Found, guarded};
use crate::ledger::lex::{self, Kind};
use crate::ledger::tree;

/// The fields that a function puts into the struct it returns: its initialiser
/// list, then assignments to its members.
pub(crate) fn returned(text: &str, owner: &str, fields: &[String]) -> Vec<Found> {
    let Some(body) = text.find('{') else { return Vec::new() };
    let mut out = Vec::new();
    let mut guards: Vec<String> = Vec::new();
    let mut listed = false;
    let all: Vec<_> = lex::tokens(text, body + 1).collect();
    let mut i = 0;
    while let Some(token) = all.get(i) {
        if token.is("#") {
            preprocessor(text, token.start, &mut guards);
        } else if token.is("{") && !listed && i > 0 && all[i - 1].is("=") {
            listed = true;
            let inside = list(text, token.start, owner, fields, &guards);
            let end = inside.1;
            out.extend(inside.0);
            while all.get(i).is_some_and(|t| t.start < end) {
                i += 1;
            }
            continue;
        } else if token.is(".")
            && all.get(i + 2).is_some_and(|t| t.is("="))
            && !all.get(i + 3).is_some_and(|t| t.is("="))
        {
            let (field, value_at) = (all[i + 1], all[i + 2].end());
            let end = all[i + 3..].iter().find(|t| t.is(";")).map_or(text.len(), |t| t.start);
            let value = tree::flat(&text[value_at..end]);
            out.push(Found::new(
                format!("{owner}.{}", field.text),
                guarded(&guards, &value),
                field.start,
            ));
        }
        i += 1;
    }
    out
}

/// The fields of a variable's initialiser list; `text` is the declaration.
pub(crate) fn variable(text: &str, owner: &str, fields: &[String]) -> Vec<Found> {
    let Some(open) = text.find('{') else { return Vec::new() };
    list(text, open, owner, fields, &[]).0
}

fn preprocessor(text: &str, at: usize, guards: &mut Vec<String>) {
    let line = text[at..].lines().next().unwrap_or_default();
    let line = line.trim_start_matches('#').trim();
    let rest = |n: usize| tree::flat(line.get(n..).unwrap_or_default());
    if line.starts_with("ifdef") {
        guards.push(rest(5));
    } else if line.starts_with("ifndef") {
        guards.push(format!("!{}", rest(6)));
    } else if line.starts_with("if") {
        guards.push(rest(2));
    } else if line.starts_with("else") {
        if let Some(last) = guards.pop() {
            guards.push(format!("!({last})"));
        }
    } else if line.starts_with("endif") {
        guards.pop();
    }
}

fn list(
    text: &str,
    open: usize,
    owner: &str,
    fields: &[String],
    guards: &[String],
) -> (Vec<Found>, usize) {
    let mut out = Vec::new();
    let Some((parts, end)) = lex::arguments(text, open) else { return (out, text.len()) };
    for (n, (at, part)) in parts.iter().enumerate() {
        let mut name = None;
        let mut value_at = None;
        for token in lex::tokens(part, 0) {
            if token.kind == Kind::Comment {
                if value_at.is_none() {
                    name = comment_name(token.text).or(name);
                }
            } else if value_at.is_none() {
                value_at = Some(token.start);
            }
        }
        let Some(value_at) = value_at else { continue };
        let mut value = tree::flat(&part[value_at..]);
        // C's own way of naming: `.field = value`.
        if let Some((field, rest)) = value.strip_prefix('.').and_then(|v| v.split_once('=')) {
            name = Some(field.trim().to_owned());
            value = rest.trim().to_owned();
        }
        let Some(name) = name.or_else(|| fields.get(n).cloned()) else { continue };
        out.push(Found::new(format!("{owner}.{name}"), guarded(guards, &value), at + value_at));
    }
    (out, end)
}

/// `/*.n_ctx =*/` and `/* n_ctx */` name a field; other comments do not.
fn comment_name(comment: &str) -> Option<String> {
    let inner = comment.strip_prefix("/*")?.strip_suffix("*/")?;
    let inner = inner.trim().trim_start_matches('.').trim_end_matches(['=', ' ']).trim();
    let name = inner.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
    (name && !inner.is_empty()).then(|| inner.to_owned())
}
