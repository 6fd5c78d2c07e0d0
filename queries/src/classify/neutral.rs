//! Hunks whose change means nothing to the program: only comments, logging, layout, or
//! names that were replaced everywhere.

use std::collections::{HashMap, HashSet};

use headwater_store::model::Side;

use super::idiom;
use super::lexer::{Open, Syntax, Token, tokens};
use super::lists::only_moves;
use super::locals::without_locals;
use super::view::{FileView, HunkView, Kind, View, starts_open};
use super::whole::{moved_names, only_declarations};

/// Why a hunk is neutral.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Neutral {
    /// Only blank lines, comments and the spacing of code changed.
    Comments,
    /// Besides, statements that only log or print.
    Logging,
    /// The same tokens, laid out in another way.
    Layout,
    /// Names were replaced, everywhere in the commit by the same ones, or the same is said
    /// in another way.
    Names,
    /// A build file names files that moved where they are now.
    Moves,
    /// Whole declarations came or went; what uses them is in other hunks.
    Declarations,
}

impl Neutral {
    /// The word by which rules ask for it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Neutral::Comments => "comments",
            Neutral::Logging => "logging",
            Neutral::Layout => "layout",
            Neutral::Names => "names",
            Neutral::Moves => "moves",
            Neutral::Declarations => "declarations",
        }
    }

    /// All the words.
    pub(super) const WORDS: [&'static str; 6] =
        ["comments", "logging", "layout", "names", "moves", "declarations"];

    /// Whether the hunk is about nothing: what rules look for in lines is not in it. A
    /// declaration that came or went is still about its subject.
    pub(super) fn silences(self) -> bool {
        self != Neutral::Declarations
    }
}

/// The tokens of one side of a hunk, logging left out.
fn side_tokens<'a>(hunk: &'a HunkView<'_>, side: Side, syntax: Syntax, go: bool) -> Vec<Token<'a>> {
    let mut found = Vec::new();
    let mut open = starts_open(&hunk.hunk, side, syntax);
    for (line, kind) in hunk.hunk.lines.iter().zip(&hunk.kinds) {
        if line.side != side && line.side != Side::Context {
            continue;
        }
        let log = *kind == Kind::Log;
        open = tokens(line.text, syntax, open, |token| {
            if !log {
                found.push(token);
            }
        });
        // Where Go's own reading ends a statement at the end of its line.
        let ends = |token: &Token<'_>| !matches!(token, Token::Mark(mark) if !matches!(mark, b')' | b']' | b'}' | b'+' | b'-'));
        if go && !log && open == Open::Nothing && found.last().is_some_and(ends) {
            found.push(Token::Mark(b';'));
        }
    }
    found
}

/// Takes away `if (…) { }` and `if … { }`: what is left when only logging stood in it.
/// A condition that calls something or assigns stays, since it may have an effect.
fn without_empty_conditions(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let mut out: Vec<Token<'_>> = Vec::with_capacity(tokens.len());
    for token in tokens {
        out.push(token);
        let [.., Token::Mark(b'{'), Token::Mark(b'}')] = out[..] else { continue };
        let head = &out[..out.len() - 2];
        let mut start = None;
        for (at, token) in head.iter().enumerate().rev().take(40) {
            match token {
                Token::Name(b"if") => {
                    start = Some(at);
                    break;
                }
                Token::Mark(b'{' | b'}' | b';') => break,
                _ => {}
            }
        }
        let Some(start) = start else { continue };
        if start > 0 && head[start - 1] == Token::Name(b"else") {
            continue;
        }
        let condition = &head[start + 1..];
        let calls = condition
            .windows(2)
            .any(|pair| matches!(pair, [Token::Name(name), Token::Mark(b'(')] if !only_asks(name)));
        let assigns = condition.windows(3).any(|three| {
            three[1] == Token::Mark(b'=')
                && !matches!(three[0], Token::Mark(b'=' | b'!' | b'<' | b'>'))
                && three[2] != Token::Mark(b'=')
        });
        if !calls && !assigns {
            out.truncate(start);
        }
    }
    out
}

/// Whether code came or went on one side alone, and more than a condition around nothing:
/// the frequent case, told without reading a token.
fn only_grows(hunk: &HunkView<'_>) -> bool {
    let mut sides = [false; 2];
    let mut more = false;
    for line in hunk.code_lines() {
        sides[usize::from(line.side == Side::Added)] = true;
        let text = line.text.trim_ascii();
        let condition = text.starts_with(b"if") || text.ends_with(b"{") || text.ends_with(b"&&");
        more |= !(condition || text.ends_with(b"||") || text.starts_with(b"}"));
    }
    sides != [true; 2] && more
}

/// Takes away `()` after a name.
fn without_empty_calls(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let mut out: Vec<Token<'_>> = Vec::with_capacity(tokens.len());
    for token in tokens {
        out.push(token);
        if let [.., Token::Name(_), Token::Mark(b'('), Token::Mark(b')')] = out[..] {
            out.truncate(out.len() - 2);
        }
    }
    out
}

/// Whether a function's name says that it only looks something up.
fn only_asks(name: &[u8]) -> bool {
    let asks: [&[u8]; 9] =
        [b"is_", b"has_", b"get", b"size", b"empty", b"len", b"defined", b"Is", b"Has"];
    asks.iter().any(|start| name.starts_with(start))
}

/// Why a hunk is neutral; the names that the commit replaces are asked for only where
/// nothing else explains it.
pub(super) fn neutral_hunk<'n>(
    view: &View<'_>,
    file: &FileView<'_>,
    hunk: &HunkView<'_>,
    names: impl FnOnce() -> &'n Renames<'n>,
) -> Option<Neutral> {
    if file.syntax == Syntax::Plain {
        return None;
    }
    if hunk.code_lines().next().is_none() {
        let any = |wanted: Kind| {
            let mut lines = hunk.hunk.lines.iter().zip(&hunk.kinds);
            lines.any(|(line, kind)| line.side != Side::Context && *kind == wanted)
        };
        return Some(match (any(Kind::Log), any(Kind::Same)) {
            (true, _) => Neutral::Logging,
            (false, true) => Neutral::Layout,
            (false, false) => Neutral::Comments,
        });
    }
    // Layout means something in these languages.
    if file.syntax == Syntax::Hash {
        return only_moves(view, file, hunk).then_some(Neutral::Moves);
    }
    if only_declarations(view, file, hunk) {
        return Some(Neutral::Declarations);
    }
    if only_grows(hunk) {
        return None;
    }
    let go = idiom::is_go(&file.change.path);
    let old = idiom::tidy(side_tokens(hunk, Side::Removed, file.syntax, go));
    let new = idiom::tidy(side_tokens(hunk, Side::Added, file.syntax, go));
    if old == new {
        return Some(Neutral::Layout);
    }
    let old = without_empty_conditions(old);
    let new = without_empty_conditions(new);
    if old == new {
        return Some(Neutral::Logging);
    }
    let (old, new) = one_form(old, new, go);
    let same = old == new || (go || old.len() == new.len()) && names().explain(&old, &new);
    same.then_some(Neutral::Names)
}

/// The most tokens of a hunk in which named values are put back: what rewrites more is no
/// mere naming.
const MOST_FOLDED: usize = 1500;

/// Both sides with idioms in one form, and without what only names a value or calls a
/// variable that became a function of the same name.
fn one_form<'a>(old: Vec<Token<'a>>, new: Vec<Token<'a>>, go: bool) -> Sides<'a> {
    let form = |tokens| idiom::tidy(without_empty_calls(idiom::plain(tokens, go)));
    let (old, new) = (form(old), form(new));
    // As many tokens on both sides: names may differ, and nothing else need be undone.
    if old.len() == new.len() || old.len() + new.len() > MOST_FOLDED {
        return (old, new);
    }
    let folded = without_locals(old.clone(), &new);
    let new = without_locals(new, &old);
    (folded, new)
}

/// The tokens of a hunk before and after.
type Sides<'a> = (Vec<Token<'a>>, Vec<Token<'a>>);

/// Names that the commit replaces throughout.
pub(super) struct Renames<'a> {
    map: HashMap<&'a [u8], &'a [u8]>,
    /// Names that moved to another package, and are asked for there from now on.
    moved: HashSet<&'a [u8]>,
}

impl<'a> Renames<'a> {
    /// Pairs the names at the same place of hunks that have as many tokens before as
    /// after; keeps those pairs that are one to one, stand nowhere else, and come with
    /// the declaration of the new name.
    pub(super) fn of(view: &'a View<'_>) -> Self {
        let mut pairs: HashMap<&[u8], HashMap<&[u8], u32>> = HashMap::new();
        let mut before: HashSet<&[u8]> = HashSet::new();
        let mut after: HashSet<&[u8]> = HashSet::new();
        let mut declared: HashSet<&[u8]> = HashSet::new();
        for file in &view.files {
            if file.syntax != Syntax::Slashes {
                continue;
            }
            let go = idiom::is_go(&file.change.path);
            for hunk in &file.hunks {
                let old = side_tokens(hunk, Side::Removed, file.syntax, go);
                let new = side_tokens(hunk, Side::Added, file.syntax, go);
                before.extend(plain_names(&old));
                after.extend(plain_names(&new));
                let (old, new) = one_form(old, new, go);
                if old.len() != new.len() || old == new {
                    continue;
                }
                for (at, (a, b)) in old.iter().zip(&new).enumerate() {
                    let (Token::Name(a), Token::Name(b)) = (a, b) else { continue };
                    if a != b {
                        *pairs.entry(a).or_default().entry(b).or_default() += 1;
                        if declares(&new, at, go) && declares(&old, at, go) {
                            declared.insert(b);
                        }
                    }
                }
            }
        }
        let single: Vec<(&[u8], &[u8], u32)> = pairs
            .into_iter()
            .filter_map(|(a, targets)| match targets.into_iter().collect::<Vec<_>>()[..] {
                [(b, count)] => Some((a, b, count)),
                _ => None,
            })
            .collect();
        // A prefix replaced in many names (`old_a`, `old_b` …) needs no count of each.
        let mut prefixes: HashMap<Pair<'_>, (u32, bool)> = HashMap::new();
        for (a, b, _) in &single {
            let entry = prefixes.entry(prefix_pair(a, b)).or_default();
            entry.0 += 1;
            entry.1 |= declared.contains(b);
        }
        let by_prefix = |a: &'a [u8], b: &'a [u8]| {
            let (old, new) = prefix_pair(a, b);
            old.len() > 2
                && new.len() > 2
                && prefixes.get(&(old, new)).is_some_and(|(names, known)| *names >= 8 && *known)
        };
        let mut map = HashMap::new();
        let mut taken = HashSet::new();
        for (a, b, count) in single {
            let alone =
                count >= 2 && !after.contains(a) && !before.contains(b) && declared.contains(b);
            if (alone || by_prefix(a, b)) && taken.insert(b) {
                map.insert(a, b);
            }
        }
        Renames { map, moved: moved_names(view) }
    }

    fn explain(&self, old: &[Token<'_>], new: &[Token<'_>]) -> bool {
        if !self.moved.is_empty() {
            let (old, new) = (self.unqualified(old), self.unqualified(new));
            return old == new || self.renamed(&old, &new);
        }
        self.renamed(old, new)
    }

    /// The tokens without the packages of names that moved.
    fn unqualified<'t>(&self, tokens: &[Token<'t>]) -> Vec<Token<'t>> {
        let mut out: Vec<Token<'t>> = Vec::with_capacity(tokens.len());
        for token in tokens {
            let qualified = matches!(token, Token::Name(name) if self.moved.contains(name))
                && matches!(out[..], [.., Token::Name(_), Token::Mark(b'.')]);
            if qualified {
                out.truncate(out.len() - 2);
            }
            out.push(*token);
        }
        out
    }

    fn renamed(&self, old: &[Token<'_>], new: &[Token<'_>]) -> bool {
        !self.map.is_empty()
            && old.len() == new.len()
            && old.iter().zip(new).all(|(a, b)| {
                a == b
                    || matches!((a, b), (Token::Name(a), Token::Name(b))
                        if self.map.get(a).is_some_and(|to| to == b))
            })
    }
}

/// The names, without those that only qualify others (`space::`).
fn plain_names<'a>(tokens: &[Token<'a>]) -> impl Iterator<Item = &'a [u8]> {
    tokens.iter().enumerate().filter_map(|(at, token)| match token {
        Token::Name(name)
            if tokens.get(at + 1) != Some(&Token::Mark(b':'))
                || tokens.get(at + 2) != Some(&Token::Mark(b':')) =>
        {
            Some(*name)
        }
        _ => None,
    })
}

/// A name before, and after.
type Pair<'a> = (&'a [u8], &'a [u8]);

/// Two names without the end that they share.
fn prefix_pair<'a>(a: &'a [u8], b: &'a [u8]) -> Pair<'a> {
    let shared = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    (&a[..a.len() - shared], &b[..b.len() - shared])
}

/// Whether the name at this place is declared there, as far as its neighbours tell.
fn declares(tokens: &[Token<'_>], at: usize, go: bool) -> bool {
    let before = at.checked_sub(1).and_then(|at| tokens.get(at));
    let after = tokens.get(at + 1);
    let typed = match before {
        Some(Token::Name(word)) => {
            !matches!(*word, b"return" | b"if" | b"else" | b"case" | b"goto" | b"throw" | b"new")
        }
        Some(Token::Mark(b'*' | b'&')) => {
            matches!(at.checked_sub(2).and_then(|at| tokens.get(at)), Some(Token::Name(_)))
                && !matches!(after, Some(Token::Mark(b'[')))
        }
        Some(Token::Mark(b'>')) => {
            matches!(after, Some(Token::Mark(b';' | b'=' | b'{')))
        }
        _ => false,
    };
    let enumerator = matches!((tokens.get(at), after), (Some(Token::Name(name)), Some(Token::Mark(b'=')))
        if name.iter().all(|b| !b.is_ascii_lowercase()));
    // A field or an argument of Go: its name, then its type.
    let field = go
        && matches!(before, None | Some(Token::Mark(b';' | b'{' | b'(' | b',')))
        && matches!(after, Some(Token::Name(_) | Token::Mark(b'*' | b'[')));
    typed
        || field
        || enumerator
        || matches!((after, tokens.get(at + 2)), (Some(Token::Mark(b':')), Some(Token::Mark(b'='))))
        || before == Some(&Token::Mark(b'.')) && matches!(after, Some(Token::Mark(b':')))
}
