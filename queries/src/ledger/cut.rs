//! Cutting declarations out of files: a pattern finds the head, the lexer its end.

use std::collections::HashMap;

use regex::Regex;

/// The top-level declarations of a Go file whose head (a line from column 0)
/// matches: gofmt closes them in column 0.
pub(crate) fn go<'a>(text: &'a str, head: &str, name: Option<&Regex>) -> Vec<(usize, &'a str)> {
    let mut out = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if !line.starts_with(head) {
            continue;
        }
        if let Some(name) = name
            && !go_name(line, head).is_some_and(|n| name.is_match(n))
        {
            continue;
        }
        let body = line.trim_end();
        let end = match body.chars().last() {
            Some('{') => text[start..].find("\n}").map(|n| start + n + 2),
            Some('(') => text[start..].find("\n)").map(|n| start + n + 2),
            _ => Some(start + body.len()),
        };
        out.push((start, &text[start..end.unwrap_or(text.len())]));
    }
    out
}

/// The declared name in a head line: of a function, over its receiver.
fn go_name<'a>(line: &'a str, head: &str) -> Option<&'a str> {
    let mut rest = line.get(head.len()..)?.trim_start();
    if rest.starts_with('(') {
        rest = rest.get(rest.find(')')? + 1..)?.trim_start();
    }
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(&rest[..end])
}

/// The constants of one text: many knobs ask for the same few.
pub(crate) struct Constants<'a> {
    text: &'a str,
    known: HashMap<String, Option<String>>,
}

impl<'a> Constants<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Constants { text, known: HashMap::new() }
    }

    /// The value of the constant of this name, if there is one.
    pub(crate) fn value(&mut self, name: &str) -> Option<String> {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let value = constant(self.text, name);
        self.known.insert(name.to_owned(), value.clone());
        value
    }
}

/// The value of a constant of this name in the same text, if it has one.
fn constant(text: &str, name: &str) -> Option<String> {
    if name.len() < 3 || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    for at in memchr::memmem::find_iter(text.as_bytes(), name) {
        let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
        let end = text[at..].find('\n').map_or(text.len(), |n| at + n);
        let (before, after) = (text[start..at].trim(), &text[at + name.len()..end]);
        let defined = before.ends_with("define") && before.starts_with('#');
        let assigned = after.trim_start().starts_with('=') && !after.trim_start().starts_with("==");
        let declared = ["const ", "constexpr ", "static "].iter().any(|k| before.contains(k))
            || matches!(before, "const" | "var" | "ARG")
            || (before.is_empty()
                && text[start..].starts_with(['\t', ' '])
                && text[..start].contains("const ("));
        let value = if defined && after.starts_with([' ', '\t']) {
            after
        } else if declared && assigned {
            after.trim_start().get(1..)?
        } else {
            continue;
        };
        let value = value.split(" //").next().unwrap_or_default();
        let value = value.trim().trim_end_matches(';').trim();
        if !value.is_empty() && !value.ends_with('\\') {
            return Some(value.to_owned());
        }
    }
    None
}
