//! Structural facts that a patch shows by itself: what a line alone cannot say, and a
//! table of defaults does not hold.
//!
//! | name | what was found | detail |
//! | --- | --- | --- |
//! | `literal-pair` | a line whose literals alone changed | `line: old -> new` |
//! | `resolved-when-unset` | a condition that a setting is unset, and under it its value | the setting |
//! | `switched-off` | a condition on a switch, and under it the switch turned off | the switch |
//! | `gated-by-environment` | code that was there now asks an environment variable first, or another one | the variable |
//! | `gated-by-new-flag` | code that was there now runs only if a new flag is set | the flag |
//! | `hardware-test` | a condition changed in what it asks of the hardware | the words that came and went |

mod gate;
mod literal;
mod resolve;

use std::collections::HashSet;

use headwater_store::model::{ChangeStatus, Line, Side};

use super::evaluate::line_ref;
use super::label::Fact;
use super::lexer::{Open, Syntax, Token, tokens};
use super::view::{FileView, HunkView, Kind, View};

/// The facts that the patch shows by itself, of those names that are `wanted`: in all of
/// its files, since what only moved may come from any.
pub(super) fn facts_of(view: &View<'_>, wanted: impl Fn(&str) -> bool) -> Vec<Fact> {
    let mut facts: Vec<Found> = Vec::new();
    let flags = gate::NewFlags::new();
    let pairs = wanted("literal-pair");
    let resolved = resolve::NAMES.iter().any(|name| wanted(name));
    let gates = gate::NAMES.iter().any(|name| wanted(name));
    if !(pairs || resolved || gates) {
        return Vec::new();
    }
    for file in view.files.iter().filter(|file| file.syntax == Syntax::Slashes) {
        for hunk in &file.hunks {
            if hunk.code_lines().next().is_none() {
                continue;
            }
            if pairs {
                literal::find(file, hunk, &mut facts);
            }
            if resolved {
                resolve::find(file, hunk, &mut facts);
            }
            if gates {
                gate::find(view, &flags, file, hunk, &mut facts);
            }
        }
    }
    drop_moved(&mut facts);
    resolve::drop_renamed(view, &mut facts);
    facts.into_iter().filter(|found| !found.passing).map(|found| found.fact).collect()
}

/// A fact as it is found.
struct Found {
    fact: Fact,
    /// Whether it stands in a declaration that came or went with the commit: it says nothing
    /// by itself, only that its like elsewhere has moved.
    passing: bool,
}

/// What is taken away here and put there as it was has only moved.
fn drop_moved(facts: &mut Vec<Found>) {
    let key = |Found { fact, .. }: &Found| {
        (fact.name.clone(), fact.detail.clone(), fact.at.text.trim().to_owned())
    };
    drop_on_both_sides(facts, key, |_| true);
}

/// Takes away what is found on both sides, by a key; of those facts that are `meant`.
fn drop_on_both_sides<K: std::hash::Hash + Eq + Clone>(
    facts: &mut Vec<Found>,
    key: impl Fn(&Found) -> K,
    meant: impl Fn(&Found) -> bool,
) {
    let of = |side: Side| -> HashSet<K> {
        facts.iter().filter(|found| found.fact.at.side == side).map(&key).collect()
    };
    let both: HashSet<K> = of(Side::Removed).intersection(&of(Side::Added)).cloned().collect();
    facts.retain(|found| !meant(found) || !both.contains(&key(found)));
}

fn fact(name: &str, detail: String, file: &FileView<'_>, line: &Line<'_>) -> Found {
    let fact = Fact { name: name.to_owned(), detail, at: line_ref(&file.change.path, line) };
    Found { fact, passing: file.change.status == ChangeStatus::Added }
}

/// The tokens of one line, taken by itself.
fn line_tokens<'a>(line: &Line<'a>) -> Vec<Token<'a>> {
    let mut found = Vec::new();
    tokens(line.text, Syntax::Slashes, Open::Nothing, |token| found.push(token));
    found
}

/// Removed lines, and the added ones beside them.
type Run<'h, 'p> = (Vec<&'h Line<'p>>, Vec<&'h Line<'p>>);

/// The runs of changed code of a hunk: removed lines and the added ones beside them.
fn runs<'h, 'p>(hunk: &'h HunkView<'p>) -> Vec<Run<'h, 'p>> {
    let mut all = Vec::new();
    let mut current = (Vec::new(), Vec::new());
    for (line, kind) in hunk.hunk.lines.iter().zip(&hunk.kinds) {
        let ended = line.side == Side::Context && !(current.0.is_empty() && current.1.is_empty());
        if ended {
            all.push(std::mem::take(&mut current));
        } else if *kind == Kind::Code {
            match line.side {
                Side::Removed => current.0.push(line),
                Side::Added => current.1.push(line),
                Side::Context => {}
            }
        }
    }
    if !current.0.is_empty() || !current.1.is_empty() {
        all.push(current);
    }
    all
}

/// A token as text.
fn text<'a>(token: &Token<'a>) -> std::borrow::Cow<'a, str> {
    match token {
        Token::Name(t) | Token::Number(t) | Token::Text(t) => String::from_utf8_lossy(t),
        Token::Mark(b) => char::from(*b).to_string().into(),
    }
}

/// Whether the line opens or continues a condition.
fn is_condition(tokens: &[Token<'_>]) -> bool {
    tokens.iter().any(|token| matches!(token, Token::Name(b"if") | Token::Mark(b'?')))
        || tokens.windows(2).any(|pair| {
            matches!(
                pair,
                [Token::Mark(b'&'), Token::Mark(b'&')] | [Token::Mark(b'|'), Token::Mark(b'|')]
            )
        })
        || matches!(tokens.first(), Some(Token::Name(b"return" | b"case")))
}
