//! Patterns, as a question asks them.

use std::ops::Range;

use regex_automata::{Input, meta};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look,
    Repetition,
};

use super::lines::each_changed;
use super::shape::{longest_literal, signed};
use crate::model::Side;

/// How a pattern's text is to be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PatternOptions {
    /// Letters match either case (`-i`).
    pub ignore_case: bool,
    /// The text is no regular expression but the very bytes to find (`-F`).
    pub fixed: bool,
    /// A match may have no word character before or after it (`-w`).
    pub word: bool,
}

/// Why a pattern cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PatternError {
    /// The text is no regular expression.
    #[error("invalid pattern {pattern:?}: {what}, at column {column}")]
    Syntax {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        what: String,
        /// Where, counted from 1.
        column: usize,
    },
    /// It asks for a line feed, which no line holds.
    #[error(
        "invalid pattern {pattern:?}: it asks for a line feed, and lines are matched one by one"
    )]
    LineFeed {
        /// The pattern.
        pattern: String,
    },
    /// The compiled form would be too large.
    #[error("invalid pattern: {0}")]
    TooLarge(String),
    /// There is nothing to look for.
    #[error("no pattern was given; give one, like RepeatPenalty")]
    None,
}

/// One or more patterns, compiled. A line matches if any of them does; a line is what
/// stands between two line feeds, and anchors mean its ends.
#[derive(Debug, Clone)]
pub struct Pattern {
    hir: Hir,
    regex: meta::Regex,
    /// Lines cannot be searched together.
    line_by_line: bool,
    /// What stands before a line matters, though it is no word character.
    looks_back: bool,
    /// Word boundaries matter.
    asks_of_words: bool,
    /// Finds in hunks as they are, signs and all, every line that matches, and maybe others;
    /// nothing where that cannot be done.
    in_hunks: Option<meta::Regex>,
}

impl Pattern {
    /// Compiles patterns in the syntax of the regex crate, POSIX classes included.
    pub fn new<S: AsRef<str>>(
        patterns: &[S],
        options: PatternOptions,
    ) -> Result<Self, PatternError> {
        if patterns.is_empty() {
            return Err(PatternError::None);
        }
        let mut alternatives = Vec::with_capacity(patterns.len());
        let mut line_by_line = false;
        for pattern in patterns {
            let pattern = pattern.as_ref();
            let hir = parse(pattern, options)?;
            let hir = one_line(&hir, &mut line_by_line)
                .ok_or_else(|| PatternError::LineFeed { pattern: pattern.to_owned() })?;
            alternatives.push(if options.word {
                Hir::concat(vec![
                    Hir::look(Look::WordStartHalfUnicode),
                    hir,
                    Hir::look(Look::WordEndHalfUnicode),
                ])
            } else {
                hir
            });
        }
        let hir = Hir::alternation(alternatives);
        let regex = compile(&hir).map_err(PatternError::TooLarge)?;
        let looks = hir.properties().look_set();
        let looks_back =
            looks.contains(Look::WordUnicodeNegate) || looks.contains(Look::WordStartHalfUnicode);
        let in_hunks = match signed(&hir) {
            Some(signed) if !line_by_line && !looks_back => {
                if looks.contains(Look::StartLF) {
                    compile(&signed).ok()
                } else {
                    Some(regex.clone())
                }
            }
            _ => None,
        };
        let asks_of_words = looks.contains_word_unicode();
        Ok(Self { hir, regex, line_by_line, looks_back, asks_of_words, in_hunks })
    }

    /// The syntax tree, for planning.
    pub(super) fn hir(&self) -> &Hir {
        &self.hir
    }

    /// Whether one line matches. The line comes without its line feed.
    pub fn matches(&self, line: &[u8]) -> bool {
        if self.looks_back {
            return self.regex.is_match(Input::new(&after_line_feed(line)).range(1..));
        }
        self.regex.is_match(line)
    }

    /// Where a line matches: the ranges, from left to right, without overlap.
    pub fn find(&self, line: &[u8]) -> Vec<Range<usize>> {
        if self.looks_back {
            let text = after_line_feed(line);
            let found = self.regex.find_iter(Input::new(&text).range(1..));
            return found.map(|found| found.start() - 1..found.end() - 1).collect();
        }
        self.regex.find_iter(line).map(|found| found.range()).collect()
    }

    /// How often a line matches.
    pub fn count(&self, line: &[u8]) -> usize {
        self.find(line).len()
    }

    /// Whether any of many lines matches, each of which stands behind a line feed. The
    /// same as asking line by line, but quicker.
    pub fn matches_any(&self, lines: &[u8]) -> bool {
        if lines.is_empty() {
            return false;
        }
        if self.line_by_line {
            return lines[1..].split(|&byte| byte == b'\n').any(|line| self.matches(line));
        }
        self.regex.is_match(Input::new(lines).range(1..))
    }

    /// Calls `each` with the number of every line that matches, in order; the lines are
    /// given as for [`Self::matches_any`].
    pub fn lines_of(&self, lines: &[u8], mut each: impl FnMut(u32)) {
        if lines.is_empty() {
            return;
        }
        // Over characters beyond ASCII the automaton cannot tell where a word ends, and a
        // slower one would take over for all that follows.
        if self.line_by_line || self.asks_of_words && !lines.is_ascii() {
            let found = lines[1..].split(|&byte| byte == b'\n').zip(0..);
            found.filter(|(line, _)| self.matches(line)).for_each(|(_, number)| each(number));
            return;
        }
        let (mut at, mut number, mut counted) = (1, 0, 1);
        while at <= lines.len() {
            let input = Input::new(lines).range(at..).earliest(true);
            let Some(hit) = self.regex.search_half(&input) else { return };
            // A match lies in one line, and may end at its end.
            let end = hit.offset();
            let start =
                memchr::memrchr(b'\n', &lines[counted..end]).map_or(counted, |n| counted + n + 1);
            number += memchr::memchr_iter(b'\n', &lines[counted..start]).count() as u32;
            counted = start;
            each(number);
            let Some(next) = memchr::memchr(b'\n', &lines[end..]) else { return };
            at = end + next + 1;
        }
    }

    /// Whether any changed line of some hunks matches; `counts` says which sides do.
    /// `lines` is room to work in.
    pub fn matches_hunks(
        &self,
        hunks: &[u8],
        lines: &mut Vec<u8>,
        counts: impl Fn(Side) -> bool,
    ) -> bool {
        let Some(regex) = &self.in_hunks else {
            lines.clear();
            each_changed(hunks, |side, _, line| {
                if counts(side) {
                    lines.push(b'\n');
                    lines.extend_from_slice(line);
                }
            });
            return self.matches_any(lines);
        };
        let mut at = 0;
        while at < hunks.len() {
            let input = Input::new(hunks).range(at..).earliest(true);
            let Some(end) = regex.search_half(&input) else { return false };
            // The last byte of the match is in its line.
            let inside = end.offset().saturating_sub(1).max(at);
            let start = memchr::memrchr(b'\n', &hunks[..inside]).map_or(0, |before| before + 1);
            let end = memchr::memchr(b'\n', &hunks[inside..]).map_or(hunks.len(), |n| inside + n);
            // The match may have had the sign in it, or stand in a line of context.
            let side = match hunks[start] {
                b'+' => Side::Added,
                b'-' => Side::Removed,
                _ => Side::Context,
            };
            if side != Side::Context && counts(side) && self.matches(&hunks[start + 1..end]) {
                return true;
            }
            at = end + 1;
        }
        false
    }
}

/// The regex crate looks back over bytes that are no UTF-8 to what stands before them, so
/// that a line which begins with such bytes must have what every line in a file has.
fn after_line_feed(line: &[u8]) -> Vec<u8> {
    [b"\n", line].concat()
}

/// Compiles a tree whose matches never hold a line feed.
pub(super) fn compile(hir: &Hir) -> Result<meta::Regex, String> {
    // Looking for single letters or short texts first is slower than just running the
    // automaton: they are everywhere.
    let config = meta::Config::new()
        .auto_prefilter(longest_literal(hir) >= 3)
        .utf8_empty(false)
        .nfa_size_limit(Some(64 << 20))
        .hybrid_cache_capacity(8 << 20);
    meta::Builder::new().configure(config).build_from_hir(hir).map_err(|e| {
        e.size_limit().map_or_else(
            || e.to_string(),
            |limit| format!("its compiled form would exceed {limit} bytes"),
        )
    })
}

fn parse(pattern: &str, options: PatternOptions) -> Result<Hir, PatternError> {
    let text = if options.fixed { regex_syntax::escape(pattern) } else { pattern.to_owned() };
    ParserBuilder::new()
        .multi_line(true)
        .case_insensitive(options.ignore_case)
        .utf8(false)
        .build()
        .parse(&text)
        .map_err(|error| {
            let (what, span) = match &error {
                regex_syntax::Error::Parse(e) => (e.kind().to_string(), Some(*e.span())),
                regex_syntax::Error::Translate(e) => (e.kind().to_string(), Some(*e.span())),
                other => (other.to_string(), None),
            };
            let column = span.map_or(1, |span| span.start.column);
            PatternError::Syntax { pattern: pattern.to_owned(), what, column }
        })
}

/// The tree for lines that are matched one by one: no class holds a line feed, and
/// anchors mean the ends of a line. `None` where only a line feed could match.
fn one_line(hir: &Hir, line_by_line: &mut bool) -> Option<Hir> {
    Some(match hir.kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => {
            if literal.0.contains(&b'\n') {
                return None;
            }
            Hir::literal(literal.0.clone())
        }
        HirKind::Class(Class::Unicode(class)) => {
            let mut class = class.clone();
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(class)) => {
            let mut class = class.clone();
            class.difference(&ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
            Hir::class(Class::Bytes(class))
        }
        HirKind::Look(look) => Hir::look(match look {
            Look::Start | Look::StartLF => Look::StartLF,
            Look::End | Look::EndLF => Look::EndLF,
            Look::StartCRLF | Look::EndCRLF => {
                // What stands after a carriage return matters to these: no joining of lines.
                *line_by_line = true;
                *look
            }
            other => *other,
        }),
        HirKind::Repetition(repetition) => Hir::repetition(Repetition {
            sub: Box::new(one_line(&repetition.sub, line_by_line)?),
            ..repetition.clone()
        }),
        HirKind::Capture(capture) => one_line(&capture.sub, line_by_line)?,
        HirKind::Concat(parts) => Hir::concat(each(parts, line_by_line)?),
        HirKind::Alternation(parts) => Hir::alternation(each(parts, line_by_line)?),
    })
}

fn each(parts: &[Hir], line_by_line: &mut bool) -> Option<Vec<Hir>> {
    parts.iter().map(|part| one_line(part, line_by_line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Pattern {
        Pattern::new(&[text], PatternOptions::default()).unwrap()
    }

    #[test]
    fn a_match_stays_in_its_line() {
        for text in [r"a\sb", "a[^x]b", "(?s)a.b", r"a\W+b", "a[[:space:]]b", r"(?-u:a\Wb)"] {
            assert!(!pattern(text).matches_any(b"\na\nb"), "{text}");
            assert!(pattern(text).matches_any(b"\nx\na\tb"), "{text}");
        }
        for text in ["^b$", r"\Ab\z", "(?-m)^b$"] {
            assert!(pattern(text).matches_any(b"\na\nb\nc"), "{text}");
        }
        assert!(pattern("^$").matches_any(b"\na\n\nb"));
        assert!(!pattern("^$").matches_any(b"\na\nb"));
    }

    #[test]
    fn a_sign_stands_between_a_beginning_and_its_text() {
        let hunks = b"@@ -1,3 +1,3 @@ f\n a\n-b\n+ \n+\n-+c\n";
        for (text, found) in [
            ("^b", true),
            ("^a", false),
            ("^$", true),
            (r"^\s+$", true),
            ("^-b", false),
            ("^[+]c$", true),
            ("^(b|x)|zz", true),
            ("(^b)", true),
            ("^f", false),
            ("^^b", true),
            ("x?^b", true),
            (r"^\s*@@", false),
        ] {
            assert_eq!(
                pattern(text).matches_hunks(hunks, &mut Vec::new(), |_| true),
                found,
                "{text}"
            );
        }
        assert!(pattern(r"^\s*b$").in_hunks.is_some() && pattern("x?^b").in_hunks.is_none());
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        let error = Pattern::new(&["ok", "foo(bar"], PatternOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), r#"invalid pattern "foo(bar": unclosed group, at column 4"#);
        assert!(matches!(
            Pattern::new(&[r"a\nb"], PatternOptions::default()),
            Err(PatternError::LineFeed { .. })
        ));
        assert!(matches!(
            Pattern::new(&[r"\w{1000}{1000}"], PatternOptions::default()),
            Err(PatternError::TooLarge(_))
        ));
        assert!(Pattern::new::<&str>(&[], PatternOptions::default()).is_err());
    }

    #[test]
    fn options_are_as_fingers_expect() {
        let with = |text: &str, options| Pattern::new(&[text], options).unwrap();
        let options = PatternOptions { fixed: true, ..Default::default() };
        assert!(with("a.b", options).matches(b"a.b") && !with("a.b", options).matches(b"axb"));
        let options = PatternOptions { word: true, ..Default::default() };
        assert!(with("--ctx", options).matches(b"x --ctx 1"));
        assert!(!with("ctx", options).matches(b"n_ctx 1"));
        assert!(with("ctx|n_ctx", options).matches(b"n_ctx 1"));
        let options = PatternOptions { ignore_case: true, ..Default::default() };
        assert!(with("STRASSE|é", options).matches("É".as_bytes()));
    }
}
