//! The lines of a commit that hold the words, with the words marked.

use std::collections::HashMap;

use headwater_store::StoredPatch;
use headwater_store::exact::each_changed;
use headwater_store::model::Side;
use headwater_store::search::{Clause, Cutter, Field, Token};

use super::answer::{Snippet, Where};

/// At most so many bytes of a commit's hunks are looked through for snippets.
const MOST_TEXT: usize = 2 << 20;
/// A longer line is cut around its first word.
const LONGEST_LINE: usize = 160;
/// How many snippets stand for a commit.
const SNIPPETS: usize = 3;

/// Finds snippets for one search.
pub(super) struct Snippets<'a> {
    cutter: &'a Cutter,
    clauses: &'a [Clause],
    /// Whole forms and parts: which clauses they belong to.
    whole: HashMap<&'a str, Vec<usize>>,
    parts: HashMap<&'a str, Vec<usize>>,
    /// The letters that a line must have, one of them, to be cut into tokens at all.
    needles: Vec<String>,
}

struct Scored {
    score: f32,
    clauses: u64,
    snippet: Snippet,
}

impl<'a> Snippets<'a> {
    pub fn new(cutter: &'a Cutter, clauses: &'a [Clause]) -> Self {
        let mut of = Snippets {
            cutter,
            clauses,
            whole: HashMap::new(),
            parts: HashMap::new(),
            needles: Vec::new(),
        };
        for (at, clause) in clauses.iter().enumerate() {
            for form in clause.whole().take(1) {
                of.whole.entry(form).or_default().push(at);
            }
            for part in clause.parts() {
                of.parts.entry(part).or_default().push(at);
                of.needles.push(part.to_owned());
            }
        }
        of
    }

    /// The best lines of a commit: of its message, its paths and its patch.
    pub fn of(&self, patch: &StoredPatch) -> Vec<Snippet> {
        let commit = &patch.patch().commit;
        let mut found: Vec<Scored> = Vec::new();
        let mut left = MOST_TEXT;
        let mut lines = (1..).zip(commit.message.lines());
        if let Some((_, subject)) = lines.next() {
            self.add(&mut found, Where::Subject, None, None, subject);
        }
        for (number, line) in lines {
            self.add(&mut found, Where::Message, None, Some(number), line);
        }
        let author = format!("{} <{}>", commit.author.name, commit.author.email);
        self.add(&mut found, Where::Author, None, None, &author);
        for file in &patch.patch().files {
            self.add(&mut found, Where::Path, None, None, &file.path);
            if left == 0 {
                continue;
            }
            let text = &file.hunks[..file.hunks.len().min(left)];
            left -= text.len();
            each_changed(text, |side, number, line| {
                let Ok(line) = std::str::from_utf8(line) else { return };
                let (at, path) = match side {
                    Side::Removed => (Where::Removed, file.path_before()),
                    _ => (Where::Added, file.path.as_str()),
                };
                self.add(&mut found, at, Some(path), Some(number), line);
            });
        }
        choose(found)
    }

    fn add(
        &self,
        found: &mut Vec<Scored>,
        at: Where,
        path: Option<&str>,
        line: Option<u32>,
        text: &str,
    ) {
        if !self.may_match(text) {
            return;
        }
        let tokens = self.cutter.cut(text);
        let (mut score, mut clauses) = (0.0_f32, 0_u64);
        let mut spans: Vec<[usize; 2]> = Vec::new();
        for (number, clause) in self.clauses.iter().enumerate() {
            if !clause.fields.is_empty() && !clause.fields.contains(&field(at)) {
                continue;
            }
            let (of_clause, marked) = self.clause(number, clause, &tokens);
            if of_clause > 0.0 {
                score += of_clause;
                clauses |= 1 << (number % 64);
                spans.extend(marked);
            }
        }
        if score > 0.0 {
            let (text, spans) = shorten(text, merge(spans));
            let snippet = Snippet { at, path: path.map(str::to_owned), line, text, spans };
            found.push(Scored { score, clauses, snippet });
        }
    }

    /// How well a line's tokens meet a clause, and the words that do.
    fn clause(&self, number: usize, clause: &Clause, tokens: &[Token]) -> (f32, Vec<[usize; 2]>) {
        let marked = |of: &HashMap<&str, Vec<usize>>| -> Vec<[usize; 2]> {
            let of_clause = |token: &&Token| {
                of.get(token.text.as_str()).is_some_and(|clauses| clauses.contains(&number))
            };
            tokens.iter().filter(of_clause).map(|t| [t.span.start, t.span.end]).collect()
        };
        if !clause.is_phrase() {
            let whole = marked(&self.whole);
            if !whole.is_empty() {
                return (3.0, whole);
            }
        }
        let parts = clause.parts();
        let have = |part: &&str| tokens.iter().any(|token| token.text == *part);
        if parts.iter().all(have) { (1.0, marked(&self.parts)) } else { (0.0, vec![]) }
    }

    /// A quick look: whether any part's letters are in the line, in either case.
    fn may_match(&self, line: &str) -> bool {
        // Stems and full words share their beginning.
        self.needles.iter().any(|needle| {
            let start =
                needle.char_indices().nth(3).map_or(needle.as_str(), |(at, _)| &needle[..at]);
            !start.is_ascii() || contains_ignoring_case(line.as_bytes(), start.as_bytes())
        })
    }
}

fn contains_ignoring_case(text: &[u8], lower: &[u8]) -> bool {
    let Some((first, rest)) = lower.split_first() else { return true };
    memchr::memchr2_iter(*first, first.to_ascii_uppercase(), text).any(|at| {
        text.get(at + 1..at + 1 + rest.len()).is_some_and(|text| text.eq_ignore_ascii_case(rest))
    })
}

/// The best lines, those first that have words which no earlier one has.
fn choose(mut found: Vec<Scored>) -> Vec<Snippet> {
    let mut chosen: Vec<Snippet> = Vec::new();
    let mut seen = 0_u64;
    while chosen.len() < SNIPPETS && !found.is_empty() {
        let news = |scored: &Scored| (scored.clauses & !seen).count_ones() as f32;
        let mut best = 0;
        for (at, scored) in found.iter().enumerate() {
            if news(scored) * 10.0 + scored.score > news(&found[best]) * 10.0 + found[best].score {
                best = at;
            }
        }
        let scored = found.swap_remove(best);
        seen |= scored.clauses;
        let same = |s: &Snippet| s.text == scored.snippet.text;
        if !chosen.iter().any(same) {
            chosen.push(scored.snippet);
        }
    }
    // The subject is shown above them anyway.
    chosen.sort_by_key(|snippet| snippet.at as u8);
    chosen
}

fn field(at: Where) -> Field {
    match at {
        Where::Subject => Field::Subject,
        Where::Message => Field::Message,
        Where::Path => Field::Path,
        Where::Author => Field::Author,
        Where::Added => Field::Added,
        Where::Removed => Field::Removed,
    }
}

/// Spans in order, those that touch as one.
fn merge(mut spans: Vec<[usize; 2]>) -> Vec<[usize; 2]> {
    spans.sort_unstable();
    let mut merged: Vec<[usize; 2]> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if span[0] <= last[1] => last[1] = last[1].max(span[1]),
            _ => merged.push(span),
        }
    }
    merged
}

/// A long line's piece around its first word; blanks at the beginning are left out.
fn shorten(line: &str, spans: Vec<[usize; 2]>) -> (String, Vec<[usize; 2]>) {
    let first = spans.first().map_or(0, |span| span[0]);
    let mut start = line.len() - line.trim_start().len();
    if line.len() - start > LONGEST_LINE && first > start + LONGEST_LINE / 3 {
        start = first - LONGEST_LINE / 3;
    }
    let mut end = (start + LONGEST_LINE).min(line.len());
    while !line.is_char_boundary(start) {
        start += 1;
    }
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let text = line.get(start..end).unwrap_or_default();
    let inside = |span: &[usize; 2]| span[0] >= start && span[1] <= end;
    let spans = spans.into_iter().filter(inside).map(|[a, b]| [a - start, b - start]);
    (text.to_owned(), spans.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_around_its_word() {
        let line = format!("  {}é repeat_penalty {}", "x".repeat(300), "y".repeat(300));
        let at = line.find("repeat").unwrap();
        let (text, spans) = shorten(&line, vec![[at, at + 14]]);
        assert!(text.len() <= LONGEST_LINE);
        assert_eq!(&text[spans[0][0]..spans[0][1]], "repeat_penalty");
        assert_eq!(shorten("\t\tshort", vec![[2, 7]]), ("short".to_owned(), vec![[0, 5]]));
    }

    #[test]
    fn spans_that_touch_are_one() {
        assert_eq!(merge(vec![[5, 9], [0, 3], [2, 5]]), [[0, 9]]);
        assert!(
            contains_ignoring_case(b"a FLASH", b"fla") && !contains_ignoring_case(b"fl", b"fla")
        );
    }
}
