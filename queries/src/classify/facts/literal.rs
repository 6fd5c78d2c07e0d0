//! Lines whose literals alone changed.

use super::{Found, fact, line_tokens, runs, text};
use crate::classify::lexer::Token;
use crate::classify::view::{FileView, HunkView};

/// The most lines of one side of a run that are paired.
const MOST_LINES: usize = 60;

pub(super) fn find(file: &FileView<'_>, hunk: &HunkView<'_>, facts: &mut Vec<Found>) {
    for (old, new) in runs(hunk) {
        if old.is_empty() || old.len() > MOST_LINES || new.len() > MOST_LINES {
            continue;
        }
        let new: Vec<_> = new.into_iter().map(|line| (line, line_tokens(line))).collect();
        for line in old {
            let before = line_tokens(line);
            let pair = new.iter().find_map(|(line, after)| Some((line, moved(&before, after)?)));
            let Some((after, (was, is))) = pair else { continue };
            let place = String::from_utf8_lossy(line.text.trim_ascii());
            let place: String = place.chars().take(120).collect();
            facts.push(fact("literal-pair", format!("{place}: {was} -> {is}"), file, after));
        }
    }
}

/// The literals that differ between two lines that are otherwise the same: numbers,
/// truth values and constants; a text only where nothing else differs, since a renamed
/// key with another value says nothing of either.
fn moved(before: &[Token<'_>], after: &[Token<'_>]) -> Option<(String, String)> {
    // The first token is what the line is about.
    if before.len() != after.len() || before.len() < 3 || before.first() != after.first() {
        return None;
    }
    let last_literal = after
        .iter()
        .rposition(|token| matches!(token, Token::Number(_) | Token::Text(_)) || literal(token));
    let mut was = Vec::new();
    let mut is = Vec::new();
    let mut texts = 0;
    for (at, (a, b)) in before.iter().zip(after).enumerate() {
        if a == b {
            continue;
        }
        match (a, b) {
            (Token::Text(_), Token::Text(_)) if Some(at) == last_literal => texts += 1,
            (Token::Text(_), Token::Text(_)) => return None,
            _ if literal(a) && literal(b) => {}
            _ => return None,
        }
        was.push(text(a));
        is.push(text(b));
    }
    (!was.is_empty() && (texts == 0 || was.len() == 1)).then(|| (was.join(" "), is.join(" ")))
}

fn literal(token: &Token<'_>) -> bool {
    match token {
        Token::Number(_) => true,
        Token::Name(name) => {
            matches!(*name, b"true" | b"false" | b"nil" | b"nullptr" | b"NULL")
                || name.len() > 3
                    && name
                        .iter()
                        .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
        }
        _ => false,
    }
}
