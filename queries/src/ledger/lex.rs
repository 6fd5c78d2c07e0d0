//! A lexer for C-like text (C, C++, Go): just enough to know strings, comments
//! and brackets, so that a declaration can be cut out of a large file without
//! parsing the file.

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier or keyword.
    Word,
    /// A number, with sign excluded and suffix included.
    Number,
    /// A string literal, quotes included.
    Text,
    /// A character literal, quotes included.
    Char,
    /// A comment.
    Comment,
    /// One byte of punctuation.
    Punct,
}

/// One token and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    pub start: usize,
}

impl Token<'_> {
    pub fn is(&self, text: &str) -> bool {
        self.text == text && self.kind != Kind::Comment
    }

    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The tokens of `text` from `start` on. Never fails: what is unclosed ends with
/// the line (a string) or the text (a comment).
pub(crate) fn tokens(text: &str, start: usize) -> Tokens<'_> {
    Tokens { text, at: start }
}

pub(crate) struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

fn word_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_' || b >= 0x80
}

fn word_part(b: u8) -> bool {
    word_start(b) || b.is_ascii_digit()
}

impl<'a> Tokens<'a> {
    fn quoted(&self, from: usize, quote: u8) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while let Some(&b) = bytes.get(at) {
            match b {
                b'\\' => at += 2,
                b'\n' => return at,
                _ if b == quote => return at + 1,
                _ => at += 1,
            }
        }
        bytes.len()
    }

    /// The end of a raw string `R"x(…)x"` whose quote stands at `quote`.
    fn raw(&self, quote: usize) -> usize {
        let rest = self.text.get(quote + 1..).unwrap_or_default();
        let Some(open) = rest.find('(').filter(|&n| n <= 16) else {
            return self.quoted(quote + 1, b'"');
        };
        let close = format!("){}\"", &rest[..open]);
        rest.find(&close).map_or(self.text.len(), |n| quote + 1 + n + close.len())
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        let start = self.at;
        let first = *bytes.get(start)?;
        let second = bytes.get(start + 1).copied().unwrap_or(0);
        let (kind, mut end) = if first == b'/' && second == b'/' {
            let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |n| start + n);
            (Kind::Comment, end)
        } else if first == b'/' && second == b'*' {
            let end = self.text[start + 2..].find("*/").map_or(bytes.len(), |n| start + n + 4);
            (Kind::Comment, end)
        } else if first == b'"' {
            (Kind::Text, self.quoted(start + 1, b'"'))
        } else if first == b'`' {
            let end = memchr::memchr(b'`', &bytes[start + 1..]);
            (Kind::Text, end.map_or(bytes.len(), |n| start + n + 2))
        } else if first == b'\'' {
            (Kind::Char, self.quoted(start + 1, b'\''))
        } else if first == b'R' && second == b'"' {
            (Kind::Text, self.raw(start + 1))
        } else if first.is_ascii_digit() || (first == b'.' && second.is_ascii_digit()) {
            let mut at = start + 1;
            while let Some(&b) = bytes.get(at) {
                let exponent = matches!(b, b'+' | b'-')
                    && matches!(bytes[at - 1], b'e' | b'E')
                    && !self.text[start..at].starts_with("0x");
                let separator = b == b'\'' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
                if !(b.is_ascii_alphanumeric() || b == b'.' || b == b'_' || exponent || separator) {
                    break;
                }
                at += 1;
            }
            (Kind::Number, at)
        } else if word_start(first) {
            let mut at = start + 1;
            while bytes.get(at).copied().is_some_and(word_part) {
                at += 1;
            }
            (Kind::Word, at)
        } else {
            (Kind::Punct, start + 1)
        };
        end = end.min(bytes.len());
        // An escape may have stepped into a character: go on to its end.
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        self.at = end;
        Some(Token { kind, text: &self.text[start..end], start })
    }
}

/// The byte after the bracket that closes the first one opened at or after
/// `start`, or `None` where it never closes or `stop` comes first.
pub(crate) fn close(text: &str, start: usize, open: char, stop: Option<char>) -> Option<usize> {
    let mut depth = 0u32;
    for token in tokens(text, start) {
        if token.kind != Kind::Punct {
            continue;
        }
        let c = token.text.chars().next()?;
        match c {
            _ if depth == 0 && c != open && stop == Some(c) => return None,
            _ if depth == 0 && c != open => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(token.end());
                }
            }
            _ => {}
        }
    }
    None
}

/// Splits the inside of brackets at its own commas. `start` is the bracket's place.
pub(crate) fn arguments(text: &str, start: usize) -> Option<(Vec<(usize, &str)>, usize)> {
    let mut depth = 0u32;
    let mut parts = Vec::new();
    let mut from = start + 1;
    let mut push = |from: usize, to: usize| {
        let part = &text[from..to];
        let trimmed = part.trim_start();
        let offset = from + part.len() - trimmed.len();
        parts.push((offset, trimmed.trim_end()));
    };
    for token in tokens(text, start) {
        if token.kind != Kind::Punct {
            continue;
        }
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    push(from, token.start);
                    return Some((parts, token.end()));
                }
            }
            "," if depth == 1 => {
                push(from, token.start);
                from = token.end();
            }
            _ => {}
        }
    }
    None
}

/// A string literal's text: quotes off, the common escapes undone.
pub(crate) fn unquote(literal: &str) -> String {
    if let Some(raw) = literal.strip_prefix("R\"") {
        let open = raw.find('(').map_or(0, |n| n + 1);
        let close = raw.rfind(')').unwrap_or(raw.len());
        return raw.get(open..close).unwrap_or_default().to_owned();
    }
    if let Some(raw) = literal.strip_prefix('`') {
        return raw.strip_suffix('`').unwrap_or(raw).to_owned();
    }
    let inner = literal.strip_prefix(['"', '\'']).unwrap_or(literal);
    let inner = inner.strip_suffix(['"', '\'']).unwrap_or(inner);
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => {}
            },
            (other, false) => out.push(other),
        }
    }
    out
}

/// The word that a text ends in; empty where it ends in something else.
pub(crate) fn last_word(text: &str) -> &str {
    let before = text.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
    &text[before.len()..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        tokens(text, 0).map(|t| (t.kind, t.text)).collect()
    }

    #[test]
    fn knows_strings_comments_and_numbers() {
        assert_eq!(
            kinds("x = \"a\\\"}\"; // }\n1.5e-3f /* { */ 0x1F 'c' R\"(a\"))\""),
            [
                (Kind::Word, "x"),
                (Kind::Punct, "="),
                (Kind::Text, "\"a\\\"}\""),
                (Kind::Punct, ";"),
                (Kind::Comment, "// }"),
                (Kind::Number, "1.5e-3f"),
                (Kind::Comment, "/* { */"),
                (Kind::Number, "0x1F"),
                (Kind::Char, "'c'"),
                (Kind::Text, "R\"(a\"))\""),
            ]
        );
    }

    #[test]
    fn closes_brackets_over_strings() {
        let text = "f(a, \")\", {1, 2}) + 1";
        let (parts, end) = arguments(text, 1).unwrap();
        assert_eq!(parts.iter().map(|p| p.1).collect::<Vec<_>>(), ["a", "\")\"", "{1, 2}"]);
        assert_eq!(&text[end..], " + 1");
        assert_eq!(close("int f(void);\nx {", 5, '{', Some(';')), None);
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,80}|[\\\\\"'`/*(){}\\[\\]R\n0-9a.eé,]{0,60}") {
            let _ = tokens(&text, 0).count();
            let _ = close(&text, 0, '{', Some(';'));
            if text.starts_with('(') { let _ = arguments(&text, 0); }
            let _ = unquote(&text);
        }
    }
}
