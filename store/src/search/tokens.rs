//! Tokens: every identifier, option, version and number whole, and by its parts.

use std::ops::Range;

use rust_stemmers::{Algorithm, Stemmer};

use crate::words::{camel_parts, without_plural};

/// Longer runs are data rather than names: they are not kept whole.
const LONGEST_WHOLE: usize = 80;
/// The longest part that is kept.
const LONGEST_PART: usize = 40;

/// What a token is of the text that it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// All of it, with its marks: `--flash-attn`, `v0.32.13`, `#17679`, `repeat_penalty`.
    Whole,
    /// A form of it, or several of its parts: `flash-attn`, `0.32`, `penalties`.
    Form,
    /// One part, by its stem: `flash`, `penalti`. The parts of a text stand side by side.
    Part,
}

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its text, in lower case.
    pub text: String,
    /// Where it stands, in bytes.
    pub span: Range<usize>,
    /// The number of the part at which it begins.
    pub position: usize,
    /// What it is.
    pub kind: Kind,
}

/// Cuts text into tokens.
pub struct Cutter(Stemmer);

impl Default for Cutter {
    fn default() -> Self {
        Cutter(Stemmer::create(Algorithm::English))
    }
}

impl Cutter {
    /// The tokens of a text, in order. A word begins with its whole form, if that is kept.
    pub fn cut(&self, text: &str) -> Vec<Token> {
        let mut tokens = Vec::new();
        let mut position = 0;
        for span in spans(text) {
            self.cut_one(text, span, &mut position, &mut tokens);
        }
        tokens
    }

    fn cut_one(
        &self,
        text: &str,
        span: Range<usize>,
        position: &mut usize,
        tokens: &mut Vec<Token>,
    ) {
        let first = *position;
        let from = tokens.len();
        let with_mark = &text[span.clone()];
        let bare = with_mark.trim_start_matches(['-', '#']);
        let start = span.end - bare.len();
        let mut add = |text: String, span: Range<usize>, position: usize, kind: Kind| {
            let longest = if kind == Kind::Part { LONGEST_PART } else { LONGEST_WHOLE };
            let same = |token: &&mut Token| token.text == text && token.span == span;
            match tokens[from..].iter_mut().find(same) {
                // A word that has one part is both.
                Some(token) if token.kind == Kind::Form => token.kind = kind,
                Some(_) => {}
                None if text.is_empty() || text.len() > longest => {}
                None => tokens.push(Token { text, span, position, kind }),
            }
        };
        let plain = bare.len() == with_mark.len();
        add(with_mark.to_lowercase(), span.clone(), first, Kind::Whole);
        if !plain {
            add(bare.to_lowercase(), start..span.end, first, Kind::Form);
        }
        for (form, place) in versions(bare) {
            add(form.to_lowercase(), start + place.start..start + place.end, first, Kind::Form);
        }
        let place = |part: &str, of: &str, at: usize| {
            let offset = part.as_ptr() as usize - of.as_ptr() as usize;
            at + offset..at + offset + part.len()
        };
        let before = *position;
        for word in bare.split(['-', '.']).filter(|word| !word.is_empty()) {
            let at = place(word, bare, start);
            if word.len() < bare.len() {
                add(word.to_lowercase(), at.clone(), *position, Kind::Form);
            }
            for part in word.split('_').flat_map(camel_parts) {
                let lower = without_plural(part).to_lowercase();
                let span = place(part, word, at.start);
                // gfx1151 and gemma4 also speak of gfx and gemma.
                let letters = lower.trim_end_matches(|c: char| c.is_numeric());
                if letters.len() >= 2 && letters.len() < lower.len() {
                    add(self.stem(letters), span.clone(), *position, Kind::Form);
                }
                add(self.stem(&lower), span, *position, Kind::Part);
                *position += 1;
            }
        }
        // Text of nothing but underscores has no part, and still a place.
        if *position == before {
            *position += 1;
        }
    }

    fn stem(&self, lower: &str) -> String {
        if lower.len() > 3 && lower.bytes().all(|byte| byte.is_ascii_lowercase()) {
            self.0.stem(lower).into_owned()
        } else {
            lower.to_owned()
        }
    }
}

/// The same for tantivy.
#[derive(Clone)]
pub(super) struct Words;

/// The tokens of one text.
pub(super) struct WordStream {
    tokens: std::vec::IntoIter<Token>,
    token: tantivy::tokenizer::Token,
}

impl tantivy::tokenizer::Tokenizer for Words {
    type TokenStream<'a> = WordStream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream {
        let tokens = Cutter::default().cut(text).into_iter();
        WordStream { tokens, token: tantivy::tokenizer::Token::default() }
    }
}

impl tantivy::tokenizer::TokenStream for WordStream {
    fn advance(&mut self) -> bool {
        let Some(Token { text, span, position, .. }) = self.tokens.next() else { return false };
        self.token = tantivy::tokenizer::Token {
            offset_from: span.start,
            offset_to: span.end,
            position,
            text,
            position_length: 1,
        };
        true
    }

    fn token(&self) -> &tantivy::tokenizer::Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut tantivy::tokenizer::Token {
        &mut self.token
    }
}

/// Where the words of a text stand: letters, digits and underscores, joined by a hyphen,
/// or by a point between digits, with the hyphens of an option or the `#` of a number
/// before it.
pub(super) fn spans(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let begin = at + text.get(at..)?.find(in_word)?;
        let mut end = begin;
        let mut chars = text[begin..].chars().peekable();
        let mut last = ' ';
        while let Some(c) = chars.next() {
            let joins = match c {
                // Scripts without blanks: each sign is a word of its own.
                _ if is_sign(c) => end == begin,
                _ if in_word(c) => !is_sign(last),
                '-' => in_word(last) && chars.peek().is_some_and(|next| in_word(*next)),
                '.' => last.is_ascii_digit() && chars.peek().is_some_and(char::is_ascii_digit),
                _ => false,
            };
            if !joins {
                break;
            }
            end += c.len_utf8();
            last = c;
        }
        let mark = mark(&text[at..begin], &text[begin..end]);
        at = end;
        Some(begin - mark..end)
    })
}

/// How long the mark is that belongs to a word: `--`, `-` or `#`.
fn mark(before: &str, word: &str) -> usize {
    let first = word.chars().next().unwrap_or(' ');
    let rest = before.trim_end_matches('-');
    let hyphens = before.len() - rest.len();
    // `a-b` is joined already; `x -1` is a number.
    let apart =
        rest.is_empty() || rest.ends_with(|c: char| c.is_whitespace() || "\"'`([{,|/=".contains(c));
    if (1..=2).contains(&hyphens) && first.is_alphabetic() && apart {
        return hyphens;
    }
    usize::from(before.ends_with('#') && word.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The forms of a version: `0.32.13` and `0.32` of `v0.32.13`.
fn versions(word: &str) -> Vec<(&str, Range<usize>)> {
    let digits = word.strip_prefix(['v', 'V']).unwrap_or(word);
    let start = word.len() - digits.len();
    if !digits.starts_with(|c: char| c.is_ascii_digit()) || !digits.contains('.') {
        return Vec::new();
    }
    let mut forms = vec![(digits, start..word.len())];
    let points = digits.match_indices('.').map(|(at, _)| at).skip(1).take(2);
    forms.extend(points.map(|end| (&digits[..end], start..start + end)));
    forms
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a character belongs to a script that has no blanks between words.
fn is_sign(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        Cutter::default().cut(text).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn names_are_kept_whole_and_by_part() {
        for (text, expected) in [
            ("repeat_penalty", &["repeat_penalty", "repeat", "penalti"][..]),
            ("RepeatPenalty", &["repeatpenalty", "repeat", "penalti"]),
            ("GGML_CUDA_FORCE_MMQ", &["ggml_cuda_force_mmq", "ggml", "cuda", "forc", "mmq"]),
            ("--flash-attn", &["--flash-attn", "flash-attn", "flash", "attn"]),
            ("v0.32.13", &["v0.32.13", "0.32.13", "0.32", "v0", "32", "13"]),
            ("#17679", &["#17679", "17679"]),
            ("-fa", &["-fa", "fa"]),
            ("b10380", &["b10380"]),
            ("gemma4", &["gemma4", "gemma"]),
        ] {
            let mut found = texts(text);
            let mut expected: Vec<String> = expected.iter().map(|s| (*s).to_owned()).collect();
            found.sort();
            found.dedup();
            expected.sort();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn marks_belong_to_words_only_where_they_stand_before_them() {
        assert_eq!(texts("(#17679)")[0], "#17679");
        assert_eq!(texts("a - b"), ["a", "b"]);
        assert_eq!(texts("x -1"), ["x", "1"]);
        assert_eq!(texts("----- top"), ["top"]);
        assert_eq!(texts("`--top-k`,--seed").iter().filter(|t| t.starts_with("--")).count(), 2);
        assert_eq!(texts("f(x.y)"), ["f", "x", "y"]);
        assert_eq!(texts("完成 ok"), ["完", "成", "ok"]);
    }

    #[test]
    fn parts_stand_side_by_side() {
        let tokens = Cutter::default().cut("set RepeatPenalty to 1.0");
        let parts: Vec<(usize, &str)> = tokens
            .iter()
            .filter(|token| token.kind == Kind::Part)
            .map(|token| (token.position, token.text.as_str()))
            .collect();
        // A word that is its own stem is told once, as a whole.
        assert_eq!(parts, [(1, "repeat"), (2, "penalti"), (4, "1"), (5, "0")]);
        let whole = tokens.iter().find(|token| token.text == "repeatpenalty").unwrap();
        assert_eq!((whole.position, whole.span.clone()), (1, 4..17));
    }

    proptest::proptest! {
        #[test]
        fn spans_are_of_the_text(text in "(\\PC|[-_.#A-Za-z0-9 ]){0,80}") {
            let tokens = Cutter::default().cut(&text);
            let mut last = 0;
            for token in &tokens {
                let of = text.get(token.span.clone());
                proptest::prop_assert!(of.is_some_and(|of| !of.is_empty()));
                proptest::prop_assert!(token.position >= last);
                last = token.position;
            }
        }

        #[test]
        fn a_name_is_found_whole_and_by_each_part(
            parts in proptest::collection::vec("[a-z]{4,9}", 1..5), mark in "(--|)",
        ) {
            let snake = format!("{mark}{}", parts.join("_"));
            let camel: String = parts.iter().map(|p| p[..1].to_uppercase() + &p[1..]).collect();
            let found = texts(&format!("x = {snake}({camel});"));
            proptest::prop_assert!(found.contains(&snake));
            proptest::prop_assert!(found.contains(&camel.to_lowercase()));
            for part in &parts {
                let stem = &texts(part)[texts(part).len() - 1];
                proptest::prop_assert!(found.iter().filter(|token| *token == stem).count() >= 2);
            }
        }
    }
}
