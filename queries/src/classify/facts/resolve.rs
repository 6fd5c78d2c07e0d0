//! Settings that get their value in code, when nobody gave them one.

use std::collections::HashSet;

use headwater_store::model::{Line, Side};

use super::{fact, line_tokens};
use crate::classify::label::Fact;
use crate::classify::lexer::{Open, Syntax, Token, tokens};
use crate::classify::view::{FileView, HunkView, Kind};

/// The fact that is found here.
const NAME: &str = "resolved-when-unset";

/// How many lines below the condition the value is looked for.
const REACH: usize = 5;

pub(super) fn find(file: &FileView<'_>, hunk: &HunkView<'_>, facts: &mut Vec<Fact>) {
    let lines = &hunk.hunk.lines;
    for (at, (line, kind)) in lines.iter().zip(&hunk.kinds).enumerate() {
        if matches!(kind, Kind::Comment | Kind::Blank | Kind::Log) {
            continue;
        }
        let tokens = line_tokens(line);
        if !tokens.iter().any(|token| matches!(token, Token::Name(b"if"))) {
            continue;
        }
        let asked = paths(&tokens);
        let below = lines.iter().zip(&hunk.kinds).skip(at + 1);
        let below = below.filter(|(other, _)| {
            other.side == line.side || other.side == Side::Context || line.side == Side::Context
        });
        for (other, other_kind) in below.take(REACH) {
            let changed = changes(line, *kind) || changes(other, *other_kind);
            let value = line_tokens(other);
            let Some(set) = assigned(&value) else { continue };
            let off = value.iter().rev().find(|token| matches!(token, Token::Name(_)))
                == Some(&Token::Name(b"false"));
            if changed && asked.contains(&set) && asks_unset(&tokens, &set, off) {
                let shown = if changes(line, *kind) { line } else { other };
                facts.push(fact(NAME, set, file, shown));
                break;
            }
        }
    }
}

/// Whether the condition holds where the setting is not set: `!x`, `x == -1`, `x < 0`,
/// `x.empty()`. One that holds where it is set takes away what somebody asked for; only a
/// switch that is then turned `off` may have been on by itself.
fn asks_unset(tokens: &[Token<'_>], set: &str, off: bool) -> bool {
    let last = set.rsplit('.').next().unwrap_or(set).as_bytes();
    let ends = tokens.iter().enumerate().filter(|(_, token)| **token == Token::Name(last));
    ends.map(|(at, _)| at).any(|at| {
        let path =
            |token: &Token<'_>| matches!(token, Token::Name(_) | Token::Mark(b'.' | b'-' | b'>'));
        let start = tokens[..at].iter().rposition(|token| !path(token));
        let negated = start.is_some_and(|start| tokens[start] == Token::Mark(b'!'));
        match tokens.get(at + 1..) {
            Some([Token::Mark(b'='), Token::Mark(b'='), ..] | [Token::Mark(b'<'), ..]) => !negated,
            Some([Token::Mark(b'.'), Token::Name(b"empty"), ..]) => !negated,
            Some([Token::Mark(b'!' | b'>'), ..]) => false,
            _ => negated || off,
        }
    })
}

/// What is asked of a setting, whatever the names: a condition that only names things
/// otherwise is the same on both sides, and neither side's is a finding.
pub(super) fn drop_renamed(facts: &mut Vec<Fact>) {
    let key = |fact: &Fact| {
        let mut shape = Vec::new();
        tokens(fact.at.text.as_bytes(), Syntax::Slashes, Open::Nothing, |token| {
            if !matches!(token, Token::Name(_) | Token::Mark(b'.' | b'(' | b')' | b':')) {
                shape.push(match token {
                    Token::Number(text) | Token::Text(text) => text.to_vec(),
                    Token::Mark(mark) => vec![mark],
                    Token::Name(_) => Vec::new(),
                });
            }
        });
        let setting = fact.detail.rsplit('.').next().unwrap_or_default().to_owned();
        (fact.name.clone(), setting, shape)
    };
    let of = |side: Side| -> HashSet<_> {
        facts.iter().filter(|fact| fact.at.side == side).map(key).collect()
    };
    let both: HashSet<_> = of(Side::Removed).intersection(&of(Side::Added)).cloned().collect();
    facts.retain(|fact| fact.name != NAME || !both.contains(&key(fact)));
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
