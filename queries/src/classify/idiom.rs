//! Two spellings of one thing: code is brought to one form before its two sides are
//! compared, so that a refactor that keeps the meaning is told from a change.
//!
//! Only what holds whatever the names stand for is done here; where a step could change
//! what the code does, it is left out.

use super::lexer::Token;

/// Whether the file is Go, by its path; the other languages of this syntax are C's kin.
pub(super) fn is_go(path: &str) -> bool {
    path.rsplit('.').next().is_some_and(|extension| extension == "go")
}

/// The tokens with idioms in one form.
pub(super) fn plain<'a>(tokens: Vec<Token<'a>>, go: bool) -> Vec<Token<'a>> {
    let mut out: Vec<Token<'a>> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let rest = &tokens[at..];
        at += if go { go_idiom(rest, &mut out) } else { c_idiom(rest, &mut out) };
        if out.last() == Some(&Token::Mark(b'}')) {
            clamp(&mut out, go);
        }
    }
    out
}

/// Takes what stands at the start, puts its plain form out, and tells how many tokens it was.
fn go_idiom<'a>(rest: &[Token<'a>], out: &mut Vec<Token<'a>>) -> usize {
    match rest {
        [Token::Name(b"interface"), Token::Mark(b'{'), Token::Mark(b'}'), ..] => {
            out.push(Token::Name(b"any"));
            3
        }
        // A whole number in another width: `int(some.Call())`.
        [Token::Name(b"int" | b"uint" | b"int64" | b"uint64"), Token::Mark(b'('), inner @ ..]
            if !matches!(out.last(), Some(Token::Mark(b'.'))) =>
        {
            match path_call(inner) {
                Some(length) if inner.get(length) == Some(&Token::Mark(b')')) => {
                    out.extend_from_slice(&inner[..length]);
                    length + 3
                }
                _ => one(rest, out),
            }
        }
        // for i := 0; i < n; i++ {
        [
            Token::Name(b"for"),
            Token::Name(name),
            Token::Mark(b':'),
            Token::Mark(b'='),
            Token::Number(b"0"),
            Token::Mark(b';'),
            Token::Name(tested),
            Token::Mark(b'<'),
            bound @ ..,
        ] if name == tested => {
            let end = bound.iter().position(|token| *token == Token::Mark(b';'));
            let step = end.and_then(|end| bound.get(end + 1..end + 5));
            match (end, step) {
                (
                    Some(end),
                    Some(
                        [
                            Token::Name(stepped),
                            Token::Mark(b'+'),
                            Token::Mark(b'+'),
                            Token::Mark(b'{'),
                        ],
                    ),
                ) if stepped == name => {
                    out.extend_from_slice(&rest[..4]);
                    out.push(Token::Name(b"range"));
                    out.extend_from_slice(&bound[..end]);
                    8 + end + 4
                }
                _ => one(rest, out),
            }
        }
        _ => one(rest, out),
    }
}

fn c_idiom<'a>(rest: &[Token<'a>], out: &mut Vec<Token<'a>>) -> usize {
    match rest {
        [Token::Name(b"const" | b"constexpr" | b"noexcept" | b"override"), ..] => 1,
        [Token::Name(b"NULL"), ..] => {
            out.push(Token::Name(b"nullptr"));
            1
        }
        [
            Token::Name(b"std"),
            Token::Mark(b':'),
            Token::Mark(b':'),
            Token::Name(which @ (b"min" | b"max")),
            Token::Mark(b'('),
            ..,
        ] => {
            out.push(Token::Name(which));
            4
        }
        [Token::Name(b"MIN"), Token::Mark(b'('), ..] => {
            out.push(Token::Name(b"min"));
            1
        }
        [Token::Name(b"MAX"), Token::Mark(b'('), ..] => {
            out.push(Token::Name(b"max"));
            1
        }
        // A pair made to be put in, or made in its place.
        [Token::Name(b"push_back" | b"emplace_back"), Token::Mark(b'('), inner @ ..] => {
            out.extend([Token::Name(b"push_back"), Token::Mark(b'(')]);
            match made(inner) {
                Some((values, length)) => {
                    out.extend_from_slice(values);
                    length + 2
                }
                None => 2,
            }
        }
        // Said to be unused, for the compiler's sake.
        [
            Token::Mark(b'('),
            Token::Name(b"void"),
            Token::Mark(b')'),
            Token::Name(_),
            Token::Mark(b';'),
            ..,
        ]
        | [
            Token::Name(b"GGML_UNUSED" | b"UNUSED"),
            Token::Mark(b'('),
            Token::Name(_),
            Token::Mark(b')'),
            Token::Mark(b';'),
            ..,
        ] => 5,
        _ => one(rest, out),
    }
}

/// The values of `std::make_pair(…)` at the start, and how many tokens it has.
fn made<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<(&'t [Token<'a>], usize)> {
    let [
        Token::Name(b"std"),
        Token::Mark(b':'),
        Token::Mark(b':'),
        Token::Name(b"make_pair" | b"make_tuple"),
        Token::Mark(b'('),
        inner @ ..,
    ] = tokens
    else {
        return None;
    };
    let mut depth = 1_i32;
    let end = inner.iter().position(|token| {
        match token {
            Token::Mark(b'(') => depth += 1,
            Token::Mark(b')') => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    (inner.get(end + 1) == Some(&Token::Mark(b')'))).then_some((&inner[..end], end + 6))
}

fn one<'a>(rest: &[Token<'a>], out: &mut Vec<Token<'a>>) -> usize {
    out.extend(rest.first());
    1
}

/// How many tokens `a.b.Call()` at the start has.
fn path_call(tokens: &[Token<'_>]) -> Option<usize> {
    let mut at = 0;
    loop {
        let Some(Token::Name(_)) = tokens.get(at) else { return None };
        match tokens.get(at + 1..at + 3) {
            Some([Token::Mark(b'('), Token::Mark(b')')]) => return Some(at + 3),
            Some([Token::Mark(b'.'), _]) => at += 2,
            _ => return None,
        }
    }
}

/// `if x < y { x = y }` at the end becomes `x = max(x, y)`; where `x` just got its value,
/// that value takes its place.
fn clamp(out: &mut Vec<Token<'_>>, go: bool) {
    let Some(start) = out.iter().rposition(|token| *token == Token::Name(b"if")) else { return };
    let Some((name, less, bound)) = clamped(&out[start..], go) else { return };
    if start > 0 && out[start - 1] == Token::Name(b"else") {
        return;
    }
    let (name, bound) = (name.to_vec(), bound.to_vec());
    out.truncate(start);
    let first = value_just_given(out, &name).unwrap_or_else(|| {
        out.extend_from_slice(&name);
        out.push(Token::Mark(b'='));
        name
    });
    out.push(Token::Name(if less { b"max" } else { b"min" }));
    out.push(Token::Mark(b'('));
    out.extend(first);
    out.push(Token::Mark(b','));
    out.extend(bound);
    out.push(Token::Mark(b')'));
    out.push(Token::Mark(b';'));
}

/// Takes `value;` from the end of `x := value;`, `x = value;`.
fn value_just_given<'a>(out: &mut Vec<Token<'a>>, name: &[Token<'a>]) -> Option<Vec<Token<'a>>> {
    let body = out.strip_suffix(&[Token::Mark(b';')])?;
    let equals = body.iter().rposition(|token| *token == Token::Mark(b'='))?;
    let value = body.get(equals + 1..)?;
    let target = body[..equals].strip_suffix(&[Token::Mark(b':')]).unwrap_or(&body[..equals]);
    if !target.ends_with(name) || !is_value(value) {
        return None;
    }
    let value = value.to_vec();
    out.truncate(equals + 1);
    Some(value)
}

/// Whether the tokens are one expression that assigns, chooses and declares nothing.
pub(super) fn is_value(tokens: &[Token<'_>]) -> bool {
    let mut depth = 0_i32;
    let plain = tokens.iter().all(|token| {
        match token {
            Token::Mark(b'(' | b'[') => depth += 1,
            Token::Mark(b')' | b']') => depth -= 1,
            Token::Mark(b',') if depth == 0 => return false,
            Token::Mark(b'{' | b'}' | b';' | b'=' | b'?' | b'\\' | b'#') => return false,
            _ => {}
        }
        depth >= 0
    });
    plain && depth == 0 && !tokens.is_empty()
}

/// What is clamped, whether from below, and the bound.
type Clamp<'t, 'a> = (&'t [Token<'a>], bool, &'t [Token<'a>]);

/// Reads `if x < y { x = y }`.
fn clamped<'t, 'a>(tokens: &'t [Token<'a>], go: bool) -> Option<Clamp<'t, 'a>> {
    let open = tokens.iter().position(|token| *token == Token::Mark(b'{'))?;
    let body = tokens.get(open + 1..tokens.len().checked_sub(1)?)?;
    let body = body.strip_suffix(&[Token::Mark(b';')]).unwrap_or(body);
    let condition = tokens.get(1..open)?;
    let condition = if go {
        condition
    } else {
        condition.strip_prefix(&[Token::Mark(b'(')])?.strip_suffix(&[Token::Mark(b')')])?
    };
    let compares = |token: &Token<'_>| matches!(token, Token::Mark(b'<' | b'>'));
    let middle = condition.iter().position(compares)?;
    let (name, bound) = (&condition[..middle], &condition[middle + 1..]);
    let path = |tokens: &[Token<'_>]| {
        !tokens.is_empty() && tokens.iter().all(|t| matches!(t, Token::Name(_) | Token::Mark(b'.')))
    };
    let assigned = body.strip_prefix(name)?.strip_prefix(&[Token::Mark(b'=')])?;
    let same = assigned == bound && path(name) && is_value(bound) && !bound.iter().any(compares);
    same.then_some((name, condition[middle] == Token::Mark(b'<'), bound))
}

/// The tokens without ends of statements that nothing stands before.
pub(super) fn tidy(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let mut out: Vec<Token<'_>> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let idle = matches!(out.last(), None | Some(Token::Mark(b';' | b'{' | b'}')));
        if !(token == Token::Mark(b';') && idle) {
            out.push(token);
        }
    }
    out
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::lexer::{Open, Syntax, tokens};
    use super::super::locals::without_locals;
    use super::*;

    pub(in super::super) fn read(line: &str) -> Vec<Token<'_>> {
        let mut all = Vec::new();
        tokens(line.as_bytes(), Syntax::Slashes, Open::Nothing, |token| all.push(token));
        all
    }

    fn same(a: &str, b: &str, go: bool) -> bool {
        tidy(plain(read(a), go)) == tidy(plain(read(b), go))
    }

    #[test]
    fn spellings_of_one_thing_are_one() {
        assert!(same("n := f(a); if n < 1 { n = 1; }", "n := max(f(a), 1);", true));
        assert!(same("if n > m { n = m }", "n = min(n, m);", true));
        assert!(same("if (n > m) { n = m; }", "n = std::min(n, m);", false));
        assert!(same("int n = f(a); if (n < 1) { n = 1; }", "const int n = MAX(f(a), 1);", false));
        assert!(same("func f(a interface{})", "func f(a any)", true));
        assert!(same("for i := 0; i < n; i++ {", "for i := range n {", true));
        assert!(same("n := int(config.N())", "n := config.N()", true));
        assert!(same("v.push_back(std::make_pair(a, f(b)));", "v.emplace_back(a, f(b));", false));
        assert!(same("p = NULL; GGML_UNUSED(a);", "p = nullptr;", false));
    }

    #[test]
    fn what_differs_stays_apart() {
        assert!(!same("n := f(a); if n < 1 { n = 2 }", "n := max(f(a), 1);", true));
        assert!(!same("n := f(a); if n < 1 { n = 1 }", "n := max(f(a), 2);", true));
        assert!(!same("n := f(a); if n > 1 { n = 1 }", "n := max(f(a), 1);", true));
        assert!(!same("n := f(a); g(); if n < 1 { n = 1 }", "n := max(f(a), 1); g();", true));
        assert!(!same("for i := 1; i < n; i++ {", "for i := range n {", true));
        assert!(!same("n := int(x * 1.5)", "n := x * 1.5", true));
        assert!(!same("v.push_back(std::make_pair(a, b));", "v.emplace_back(b, a);", false));
        assert!(!same("static int n;", "int n;", false));
    }

    proptest::proptest! {
        #[test]
        fn never_panics(words in proptest::collection::vec("if|for|n|x|:|=|<|>|;|\\(|\\)|\\{|\\}|0|max|\\+|int|\\.|else", 0..40)) {
            let line = words.join(" ");
            for go in [false, true] {
                let all = read(&line);
                let read = plain(all.clone(), go);
                proptest::prop_assert!(read.len() <= 2 * all.len() + 8);
                tidy(without_locals(read, &[]));
            }
        }
    }
}
