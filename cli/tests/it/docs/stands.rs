//! What stands for what: the histories that the pages speak of are not those of the test.

use serde::Deserialize;

/// `stands_for.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Versions, commits, weeks and models of the pages, and what the miniatures have.
    replace: Vec<(String, String)>,
    /// Placeholders of synopses; a key may hold the word before, which decides then.
    placeholders: Vec<(String, String)>,
    /// Pages that begin without a store.
    pub fresh: Vec<String>,
    /// Blocks of TOML that the reader puts into a file before anything is typed.
    #[serde(default)]
    pub files: Vec<File>,
    /// Commands of headwater's own that are not run, and why.
    #[serde(default)]
    pub not_run: Vec<NotRun>,
    /// Commands that end with another status than 0, and why.
    #[serde(default)]
    pub ends: Vec<Ends>,
    /// Options of other programs that the pages name.
    pub foreign_options: Vec<String>,
    /// Programs whose lines are not run.
    pub others: Vec<String>,
}

/// A block of a page that is a file of its reader.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    pub page: String,
    /// Which of the page's blocks of TOML.
    pub block: usize,
    /// Where to, from the home on.
    pub place: String,
}

/// A line that is not run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotRun {
    pub line: String,
    #[allow(dead_code, reason = "for whoever reads the table")]
    pub why: String,
}

/// A command that does not end with 0.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ends {
    pub command: String,
    pub status: i32,
    #[allow(dead_code, reason = "for whoever reads the table")]
    pub why: String,
}

impl Table {
    /// The table, with the ids of commits that the miniatures name.
    pub fn read(sha: impl Fn(&str, &str) -> String) -> Self {
        let text = include_str!("stands_for.toml");
        let mut table: Table = toml::from_str(text).unwrap();
        for (_, value) in table.replace.iter_mut().chain(&mut table.placeholders) {
            if let Some((upstream, name)) =
                value.strip_prefix("commit:").and_then(|rest| rest.split_once('/'))
            {
                *value = sha(upstream, name)[..12].to_owned();
            }
        }
        table.replace.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
        table.placeholders.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
        table
    }

    /// A typed command as the miniatures know it.
    pub fn typed(&self, text: &str) -> String {
        replaced(text, &self.replace)
    }

    /// A synopsis as commands: without its optional parts, and with them, once for each of
    /// its alternatives.
    pub fn synopsis(&self, text: &str) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for variant in variants(text) {
            let command = replaced(&replaced(&variant, &self.placeholders), &self.replace);
            if !out.contains(&command) {
                out.push(command);
            }
        }
        out
    }
}

/// Replaces whole words in one pass, the longest first.
fn replaced(text: &str, pairs: &[(String, String)]) -> String {
    let inner = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    let mut before = None;
    while let Some(first) = rest.chars().next() {
        let whole = |from: &str| {
            let ends = rest.strip_prefix(from).map(|after| after.chars().next());
            let starts = !(before.is_some_and(inner) && from.starts_with(inner));
            starts && ends.is_some_and(|next| !(next.is_some_and(inner) && from.ends_with(inner)))
        };
        if let Some((from, to)) = pairs.iter().find(|(from, _)| whole(from)) {
            out.push_str(to);
            before = from.chars().last();
            rest = &rest[from.len()..];
        } else {
            out.push(first);
            before = Some(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

/// What a synopsis may mean.
fn variants(text: &str) -> Vec<String> {
    let most = words(text).iter().map(|(word, _)| alternatives(word).len()).max().unwrap_or(1);
    let mut out = vec![chosen(text, false, 0)];
    out.extend((0..most).map(|n| chosen(text, true, n)));
    out
}

fn chosen(text: &str, optional: bool, n: usize) -> String {
    let all = words(text);
    let kept = all.iter().filter(|(_, within)| optional || !within);
    let word = |word: &str| {
        let all = alternatives(word);
        all[n % all.len()].to_owned()
    };
    kept.map(|(text, _)| word(text)).collect::<Vec<_>>().join(" ")
}

/// The words, each with whether it stands in brackets. Quoted text is one word.
fn words(text: &str) -> Vec<(String, bool)> {
    let mut out = Vec::new();
    let (mut word, mut quoted, mut depth) = (String::new(), false, 0_usize);
    let mut within = false;
    for c in text.chars() {
        match c {
            '\'' => quoted = !quoted,
            '[' if !quoted && word.is_empty() => {
                depth += 1;
                continue;
            }
            ']' if !quoted && depth > 0 => {
                depth -= 1;
                continue;
            }
            ' ' if !quoted => {
                if !word.is_empty() {
                    out.push((std::mem::take(&mut word), within));
                }
                continue;
            }
            _ => {}
        }
        if word.is_empty() {
            within = depth > 0;
        }
        word.push(c);
    }
    if !word.is_empty() {
        out.push((word, within));
    }
    out
}

fn alternatives(word: &str) -> Vec<&str> {
    if word.contains('\'') || word == "|" { vec![word] } else { word.split('|').collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_replaced_once() {
        let pairs = |all: &[(&str, &str)]| -> Vec<(String, String)> {
            all.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
        };
        let table = pairs(&[
            ("v0.32.13", "v2"),
            ("v0.32.9", "v1"),
            ("v2", "v3"),
            ("--save NAME", "--save x"),
        ]);
        assert_eq!(replaced("ask v0.32.9..v0.32.13 v0.32.133", &table), "ask v1..v2 v0.32.133");
        assert_eq!(replaced("--save NAME model NAME", &table), "--save x model NAME");
    }

    #[test]
    fn a_synopsis_is_asked_without_and_with_what_is_optional() {
        assert_eq!(
            variants("headwater why U [--phase a|b] [--top N] | x"),
            [
                "headwater why U | x",
                "headwater why U --phase a --top N | x",
                "headwater why U --phase b --top N | x",
            ]
        );
        assert_eq!(variants("grep 'a[bc]|d' f"), ["grep 'a[bc]|d' f"; 2]);
    }
}
