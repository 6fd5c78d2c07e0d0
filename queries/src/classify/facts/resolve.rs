//! Settings that get their value in code, when nobody gave them one.

use headwater_store::model::{Line, Side};

use super::{fact, line_tokens};
use crate::classify::label::Fact;
use crate::classify::lexer::Token;
use crate::classify::view::{FileView, HunkView, Kind};

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
            let Some(set) = assigned(&line_tokens(other)) else { continue };
            if changed && asked.contains(&set) {
                let shown = if changes(line, *kind) { line } else { other };
                facts.push(fact("resolved-when-unset", set, file, shown));
                break;
            }
        }
    }
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
