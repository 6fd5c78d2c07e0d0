//! Settings that get their value in code, when nobody gave them one.

use std::collections::HashSet;

use headwater_store::model::{Line, Side};

use super::gate::holds_options;
use super::{Found, drop_on_both_sides, fact, line_tokens};
use crate::classify::lexer::{Open, Syntax, Token, tokens};
use crate::classify::view::{FileView, HunkView, Kind, View};

/// The facts that are found here.
pub(super) const NAMES: [&str; 2] = ["resolved-when-unset", "switched-off"];

/// How many lines below the condition the value is looked for.
const REACH: usize = 5;

pub(super) fn find(file: &FileView<'_>, hunk: &HunkView<'_>, facts: &mut Vec<Found>) {
    let lines = &hunk.hunk.lines;
    for (at, (line, kind)) in lines.iter().zip(&hunk.kinds).enumerate() {
        if matches!(kind, Kind::Comment | Kind::Blank | Kind::Log) {
            continue;
        }
        let tokens = line_tokens(line);
        if !tokens.iter().any(|token| matches!(token, Token::Name(b"if" | b"case"))) {
            continue;
        }
        let asked = paths(&tokens);
        let below = lines.iter().zip(&hunk.kinds).zip(&hunk.fresh).skip(at + 1);
        let below = below.filter(|((other, _), _)| {
            other.side == line.side || other.side == Side::Context || line.side == Side::Context
        });
        for ((other, other_kind), fresh) in below.take(REACH) {
            let changed = changes(line, *kind) || changes(other, *other_kind);
            let value = line_tokens(other);
            let Some(set) = assigned(&value) else { continue };
            if !changed || !asked.contains(&set) {
                continue;
            }
            let off = value.iter().rev().find(|token| matches!(token, Token::Name(_)))
                == Some(&Token::Name(b"false"));
            let on = value.contains(&Token::Name(b"true"));
            let name = match asked_how(&tokens, &set) {
                // A switch that is off and is put on takes away what somebody asked for.
                Some(true) if !on => NAMES[0],
                Some(false) if off => NAMES[1],
                _ => continue,
            };
            let shown = if changes(line, *kind) { line } else { other };
            let found = fact(name, set, file, shown);
            // A case is one of several things that are told apart; what counts is that the
            // question went there from an `if`.
            let told_apart = tokens.contains(&Token::Name(b"case"));
            facts.push(Found { passing: found.passing || *fresh || told_apart, ..found });
            break;
        }
    }
}

/// Whether the condition holds where the setting is not set: `!x`, `x == -1`, `x < 0`,
/// `x.empty()`; or where it is set, as far as it is a switch: `x`. One that compares it with
/// another number bounds it, and is neither.
fn asked_how(tokens: &[Token<'_>], set: &str) -> Option<bool> {
    let last = last_name(set).as_bytes();
    let ends = tokens.iter().enumerate().filter(|(_, token)| **token == Token::Name(last));
    let how = |at: usize| {
        let path =
            |token: &Token<'_>| matches!(token, Token::Name(_) | Token::Mark(b'.' | b'-' | b'>'));
        let start = tokens[..at].iter().rposition(|token| !path(token));
        let negated = start.is_some_and(|start| tokens[start] == Token::Mark(b'!'));
        match tokens.get(at + 1..) {
            Some([Token::Mark(b'='), Token::Mark(b'='), rest @ ..]) => {
                (!negated && is_fixed(rest)).then_some(true)
            }
            Some(
                [Token::Mark(b'<'), Token::Mark(b'='), Token::Number(bound), ..]
                | [Token::Mark(b'<'), Token::Number(bound), ..],
            ) => (!negated && matches!(*bound, b"0" | b"1" | b"0.0" | b"0.0f")).then_some(true),
            Some([Token::Mark(b'.'), Token::Name(b"empty"), ..]) => (!negated).then_some(true),
            Some([Token::Mark(b'!' | b'<' | b'>' | b'.'), ..]) => None,
            _ => Some(negated),
        }
    };
    let all: Vec<bool> = ends.filter_map(|(at, _)| how(at)).collect();
    if all.contains(&true) { Some(true) } else { all.first().copied() }
}

/// Whether a value that a setting is compared with stands in the code: a number, a
/// constant, nothing. Another variable's value says nothing of what is unset.
fn is_fixed(tokens: &[Token<'_>]) -> bool {
    let value = tokens.strip_prefix(&[Token::Mark(b'-')]).unwrap_or(tokens);
    match value.first() {
        Some(Token::Number(_) | Token::Text(_)) => true,
        Some(Token::Name(name)) => {
            matches!(*name, b"nil" | b"nullptr" | b"NULL" | b"false")
                || name.iter().all(|b| !b.is_ascii_lowercase())
        }
        _ => false,
    }
}

/// What is asked of a setting, whatever the names: a condition that only names things
/// otherwise is the same on both sides, and neither side's is a finding. Nor is one of a
/// setting that came with the commit, which had no value before.
pub(super) fn drop_renamed(view: &View<'_>, facts: &mut Vec<Found>) {
    let meant = |found: &Found| NAMES.contains(&found.fact.name.as_str());
    if !facts.iter().any(meant) {
        return;
    }
    let key = |Found { fact, .. }: &Found| {
        let mut shape = Vec::new();
        tokens(fact.at.text.as_bytes(), Syntax::Slashes, Open::Nothing, |token| {
            if !matches!(token, Token::Name(_) | Token::Mark(b'.' | b'(' | b')' | b':' | b'}')) {
                shape.push(match token {
                    Token::Number(text) | Token::Text(text) => text.to_vec(),
                    Token::Mark(mark) => vec![mark],
                    Token::Name(_) => Vec::new(),
                });
            }
        });
        (fact.name.clone(), last_name(&fact.detail).to_owned(), shape)
    };
    drop_on_both_sides(facts, key, meant);
    drop_asked_elsewhere(view, facts);
    let (come, gone) = settings(view);
    facts.retain(|found| {
        let setting = last_name(&found.fact.detail).as_bytes();
        !meant(found) || !come.contains(setting) && !gone.contains(setting)
    });
}

/// What asks a setting for the same value on the other side of another file has moved.
fn drop_asked_elsewhere(view: &View<'_>, facts: &mut Vec<Found>) {
    let hunks = || view.files.iter().flat_map(|file| &file.hunks);
    let of = |wanted: Side| -> HashSet<Asked> {
        let lines = hunks().flat_map(HunkView::code_lines).filter(|line| line.side == wanted);
        lines.flat_map(|line| asked_of(line.text)).collect()
    };
    let (gone, come) = (of(Side::Removed), of(Side::Added));
    facts.retain(|Found { fact, .. }| {
        let setting = last_name(&fact.detail).as_bytes();
        let own = asked_of(fact.at.text.as_bytes());
        let mut own = own.into_iter().filter(|(name, _)| name == setting);
        fact.name != NAMES[0] || !own.any(|asked| gone.contains(&asked) && come.contains(&asked))
    });
}

/// A name, and the fixed value that it is compared with.
type Asked = (Vec<u8>, Vec<u8>);

fn asked_of(line: &[u8]) -> Vec<Asked> {
    let mut all = Vec::new();
    tokens(line, Syntax::Slashes, Open::Nothing, |token| all.push(token));
    let mut found = Vec::new();
    for (at, token) in all.iter().enumerate() {
        let Token::Name(name) = token else { continue };
        let value = match all.get(at + 1..) {
            Some([Token::Mark(b'='), Token::Mark(b'='), value @ ..]) => value,
            Some([Token::Mark(b'<'), value @ ..]) => value,
            _ => continue,
        };
        let sign = value.first() == Some(&Token::Mark(b'-'));
        if let Some(Token::Number(number)) = value.get(usize::from(sign)) {
            let sign: &[u8] = if sign { b"-" } else { b"" };
            found.push((name.to_vec(), [sign, number].concat()));
        }
    }
    found
}

fn last_name(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// The names in declarations of settings that came with the commit, and those that went.
fn settings<'v>(view: &'v View<'_>) -> (HashSet<&'v [u8]>, HashSet<&'v [u8]>) {
    let of = |wanted: Side| {
        let hunks = || view.files.iter().flat_map(|file| &file.hunks);
        let mut names: HashSet<&[u8]> = HashSet::new();
        for (line, section) in hunks().flat_map(|hunk| hunk.changed_in(false)) {
            if line.side == wanted && holds_options(section) {
                names.extend(names_of(line));
            }
        }
        if !names.is_empty() {
            let others = hunks().flat_map(|hunk| &hunk.hunk.lines).filter(|l| l.side != wanted);
            for name in others.flat_map(names_of) {
                names.remove(name);
            }
        }
        names
    };
    (of(Side::Added), of(Side::Removed))
}

fn names_of<'a>(line: &Line<'a>) -> Vec<&'a [u8]> {
    let tokens = line_tokens(line);
    let name = |token: Token<'a>| if let Token::Name(name) = token { Some(name) } else { None };
    tokens.into_iter().filter_map(name).collect()
}

fn changes(line: &Line<'_>, kind: Kind) -> bool {
    line.side != Side::Context && kind == Kind::Code
}

/// The settings that a line names: `a.b`, `a->b`, `a.b.c`.
fn paths(tokens: &[Token<'_>]) -> Vec<String> {
    let mut all = Vec::new();
    let mut current: Vec<u8> = Vec::new();
    let mut parts = 0;
    let mut after_dot = false;
    let mut finish = |current: &mut Vec<u8>, parts: &mut i32| {
        if *parts > 1 {
            all.push(String::from_utf8_lossy(current).into_owned());
        }
        current.clear();
        *parts = 0;
    };
    for token in tokens {
        match token {
            Token::Name(name) if current.is_empty() || after_dot => {
                if after_dot && !current.is_empty() {
                    current.push(b'.');
                }
                current.extend_from_slice(name);
                parts += 1;
                after_dot = false;
            }
            Token::Name(name) => {
                finish(&mut current, &mut parts);
                current.extend_from_slice(name);
                parts = 1;
            }
            Token::Mark(b'.') => after_dot = true,
            Token::Mark(b'-') => {}
            Token::Mark(b'>') if !current.is_empty() => after_dot = true,
            _ => {
                finish(&mut current, &mut parts);
                after_dot = false;
            }
        }
    }
    finish(&mut current, &mut parts);
    all
}

/// The setting that a line assigns, if it is an assignment to one.
fn assigned(tokens: &[Token<'_>]) -> Option<String> {
    let equals = tokens.iter().position(|token| *token == Token::Mark(b'='))?;
    let after = tokens.get(equals + 1);
    let before = equals.checked_sub(1).and_then(|at| tokens.get(at));
    let compares = after == Some(&Token::Mark(b'='))
        || matches!(
            before,
            Some(Token::Mark(b'=' | b'!' | b'<' | b'>' | b'+' | b'-' | b'*' | b'/'))
        );
    if compares {
        return None;
    }
    let target = &tokens[..equals];
    paths(target).into_iter().next_back()
}
