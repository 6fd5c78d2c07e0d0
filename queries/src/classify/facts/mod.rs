//! Structural facts that a patch shows by itself: what a line alone cannot say, and a
//! table of defaults does not hold.
//!
//! | name | what was found | detail |
//! | --- | --- | --- |
//! | `literal-pair` | a line whose literals alone changed | `line: old -> new` |
//! | `resolved-when-unset` | a condition on a setting, and under it the setting's value | the setting |
//! | `gated-by-environment` | code that was there now asks an environment variable first, or another one | the variable |
//! | `gated-by-new-flag` | code that was there now runs only if a new flag is set | the flag |
//! | `hardware-test` | a condition changed in what it asks of the hardware | the words that came and went |

mod gate;
mod literal;
mod resolve;

use std::collections::HashSet;

use headwater_store::model::{Line, Side};

use super::evaluate::line_ref;
use super::label::Fact;
use super::lexer::{Open, Syntax, Token, tokens};
use super::view::{FileView, HunkView, Kind, View};

/// The facts that the patch shows by itself, of those names that are `wanted`: in all of
/// its files, since what only moved may come from any.
pub(super) fn facts_of(view: &View<'_>, wanted: impl Fn(&str) -> bool) -> Vec<Fact> {
    let mut facts = Vec::new();
    let flags = gate::NewFlags::new();
    let pairs = wanted("literal-pair");
    let resolved = wanted("resolved-when-unset");
    let gates = gate::NAMES.iter().any(|name| wanted(name));
    if !(pairs || resolved || gates) {
        return facts;
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
    resolve::drop_renamed(&mut facts);
    facts
}

/// What is taken away here and put there as it was has only moved.
fn drop_moved(facts: &mut Vec<Fact>) {
    let key =
        |fact: &Fact| (fact.name.clone(), fact.detail.clone(), fact.at.text.trim().to_owned());
    let of = |side: Side| -> HashSet<_> {
        facts.iter().filter(|fact| fact.at.side == side).map(key).collect()
    };
    let moved: HashSet<_> = of(Side::Removed).intersection(&of(Side::Added)).cloned().collect();
    facts.retain(|fact| !moved.contains(&key(fact)));
}

fn fact(name: &str, detail: String, file: &FileView<'_>, line: &Line<'_>) -> Fact {
    Fact { name: name.to_owned(), detail, at: line_ref(&file.change.path, line) }
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
