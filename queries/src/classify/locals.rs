//! Locals that only name a value: put back into their uses, so that giving a value a name,
//! or taking the name away, is told from a change.

use std::collections::HashSet;

use super::idiom::is_value;
use super::lexer::Token;

/// The most locals of one hunk that are taken back into their uses.
const MOST_LOCALS: usize = 6;

/// The tokens without the locals that only this side has: `n := f(a); use(n)` is `use(f(a))`.
pub(super) fn without_locals<'a>(
    mut tokens: Vec<Token<'a>>,
    other: &[Token<'_>],
) -> Vec<Token<'a>> {
    let outside: HashSet<&[u8]> = names(other).collect();
    for _ in 0..MOST_LOCALS {
        let Some((start, at, end)) = local(&tokens, &outside) else { return tokens };
        let name = tokens[at];
        let value = tokens[value_start(&tokens, at)..end].to_vec();
        let mut out = tokens[..start].to_vec();
        let rest = &tokens[end + 1..];
        for (place, token) in rest.iter().enumerate() {
            if *token == name && !is_member(rest, place) {
                put(&mut out, &value, rest.get(place + 1));
            } else {
                out.push(*token);
            }
        }
        tokens = out;
    }
    tokens
}

fn value_start(tokens: &[Token<'_>], name: usize) -> usize {
    if tokens.get(name + 1) == Some(&Token::Mark(b':')) { name + 3 } else { name + 2 }
}

/// A local that only this side has and uses: where its statement starts, its name stands,
/// and the statement ends.
fn local(tokens: &[Token<'_>], outside: &HashSet<&[u8]>) -> Option<(usize, usize, usize)> {
    let starts = |at: usize| at == 0 || matches!(tokens[at - 1], Token::Mark(b';' | b'{' | b'}'));
    (0..tokens.len()).filter(|&at| starts(at)).find_map(|start| {
        let equals = start
            + tokens[start..].iter().take(10).position(|token| *token == Token::Mark(b'='))?;
        let short = equals > 0 && tokens[equals - 1] == Token::Mark(b':');
        let at = equals.checked_sub(if short { 2 } else { 1 })?;
        let Token::Name(name) = tokens.get(at)? else { return None };
        if outside.contains(name) {
            return None;
        }
        // A declaration: Go's short one, or C's with a type before the name.
        let typed = tokens.get(start..at)?.iter().all(|token| {
            matches!(token, Token::Name(_) | Token::Mark(b':' | b'<' | b'>' | b'*' | b'&'))
        });
        let declares = if short { at == start } else { at > start && typed };
        if !declares {
            return None;
        }
        let from = value_start(tokens, at);
        let end = from + tokens.get(from..)?.iter().position(|t| *t == Token::Mark(b';'))?;
        let rest = &tokens[end + 1..];
        let used = names(rest).any(|other| other == *name);
        // One that is given another value later is no mere name for its first.
        let again = rest.windows(2).any(|pair| {
            pair[0] == tokens[at] && matches!(pair[1], Token::Mark(b'=' | b'+' | b'-' | b':'))
        });
        let own = is_value(&tokens[from..end]);
        (own && used && !again).then_some((start, at, end))
    })
}

/// The names that stand for themselves: members of something are left out.
fn names<'a>(tokens: &[Token<'a>]) -> impl Iterator<Item = &'a [u8]> {
    tokens.iter().enumerate().filter_map(|(at, token)| match token {
        Token::Name(name) if !is_member(tokens, at) => Some(*name),
        _ => None,
    })
}

/// Whether the name at this place is a member of something: `a.name`, `a->name`.
fn is_member(tokens: &[Token<'_>], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|at| tokens.get(at));
    before(1) == Some(&Token::Mark(b'.'))
        || before(1) == Some(&Token::Mark(b'>')) && before(2) == Some(&Token::Mark(b'-'))
}

/// Puts a value where its name stood, in brackets where its neighbours would tear it apart.
fn put<'a>(out: &mut Vec<Token<'a>>, value: &[Token<'a>], next: Option<&Token<'_>>) {
    let mut depth = 0_i32;
    let tight = value.iter().all(|token| {
        match token {
            Token::Mark(b'(' | b'[') => depth += 1,
            Token::Mark(b')' | b']') => depth -= 1,
            Token::Mark(b'.' | b':') => {}
            Token::Mark(_) => return depth > 0,
            _ => {}
        }
        true
    });
    let alone = matches!(
        out.last(),
        None | Some(Token::Mark(b'(' | b',' | b'=' | b';' | b'{' | b'[') | Token::Name(b"return"))
    ) && matches!(next, None | Some(Token::Mark(b')' | b',' | b';' | b'{' | b']')));
    if tight || alone {
        out.extend_from_slice(value);
    } else {
        out.push(Token::Mark(b'('));
        out.extend_from_slice(value);
        out.push(Token::Mark(b')'));
    }
}

#[cfg(test)]
mod tests {
    use super::super::idiom::tests::read;
    use super::*;

    #[test]
    fn locals_go_back_into_their_uses() {
        let folded = |a: &str, b: &str| {
            let (a, b) = (read(a), read(b));
            without_locals(a.clone(), &b) == b
        };
        assert!(folded("n := f(a); use(n);", "use(f(a));"));
        assert!(folded("const size_t n = t.size(); x = float(n) / 2;", "x = float(t.size()) / 2;"));
        assert!(folded("int n = a + b; x = n * 2;", "x = (a + b) * 2;"));
        assert!(folded("int n = t.n(o); x = f(n);", "x = f(t.n(o));"));
        assert!(!folded("int n = a + b; x = n * 2;", "x = a + b * 2;"));
        assert!(!folded("n := f(a); n = 2; use(n);", "f(a) = 2; use(f(a));"));
        assert!(!folded("x = f(a); use(x);", "use(f(a));"));
        assert!(!folded("n := f(a); use(m);", "use(m);"));
    }
}
