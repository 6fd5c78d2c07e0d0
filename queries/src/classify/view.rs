//! A commit as rules see it: every changed line told apart as code, comment, logging or
//! blank, and the changed text of each file in one run for fast searching.

use std::cell::OnceCell;

use globset::GlobSet;
use headwater_store::model::{CommitPatch, FileChange, Hunk, Line, Side};
use regex::bytes::Regex;

use super::lexer::{Open, Syntax, Token, tokens};

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing but space.
    Blank,
    /// Only comment.
    Comment,
    /// A statement that logs or prints, or a part of one, or a line that does nothing by
    /// itself (an import).
    Log,
    /// Code that stands on both sides with the same tokens: only its layout changed.
    Same,
    /// Anything else.
    Code,
}

/// How lines are told apart.
pub(super) struct Reading {
    /// Openings of statements that only log.
    pub(super) log_calls: Regex,
    /// Openings of blocks that only log.
    pub(super) log_blocks: Regex,
    /// Statements that tell an error.
    pub(super) error_calls: Regex,
    /// Files that do not count in shares.
    pub(super) aside: GlobSet,
}

/// A commit, read.
pub(super) struct View<'p> {
    pub(super) patch: &'p CommitPatch,
    pub(super) files: Vec<FileView<'p>>,
    /// The changed lines of code in all files, those set aside left out.
    pub(super) code_lines: u32,
}

/// One file of it.
pub(super) struct FileView<'p> {
    pub(super) change: &'p FileChange,
    pub(super) syntax: Syntax,
    pub(super) hunks: Vec<HunkView<'p>>,
    /// All changed lines, each ended by a line feed; put together when first asked for.
    text: OnceCell<Vec<u8>>,
}

/// One hunk of it: the kinds stand beside the lines.
pub(super) struct HunkView<'p> {
    pub(super) hunk: Hunk<'p>,
    pub(super) kinds: Vec<Kind>,
    /// For each line the declaration above it, as far as the hunk shows it.
    pub(super) sections: Vec<&'p [u8]>,
    /// For each line whether that declaration came or went with the commit.
    pub(super) fresh: Vec<bool>,
}

impl<'p> View<'p> {
    pub(super) fn of(patch: &'p CommitPatch, reading: &Reading) -> Self {
        let files: Vec<_> =
            patch.files.iter().map(|change| FileView::of(change, reading)).collect();
        let counted = files.iter().filter(|file| !reading.aside.is_match(&file.change.path));
        let code_lines = counted.map(FileView::code_lines).sum();
        View { patch, files, code_lines }
    }
}

impl<'p> FileView<'p> {
    fn of(change: &'p FileChange, reading: &Reading) -> Self {
        let syntax = Syntax::of(&change.path);
        let hunks = change
            .parsed()
            .into_iter()
            .map(|hunk| {
                let mut kinds = kinds_of(&hunk, syntax, reading);
                if syntax == Syntax::Slashes {
                    mark_same(&hunk, &reading.error_calls, &mut kinds);
                }
                let (sections, fresh) = sections(&hunk, syntax);
                HunkView { hunk, kinds, sections, fresh }
            })
            .collect();
        FileView { change, syntax, hunks, text: OnceCell::new() }
    }

    /// The changed lines in one run, for fast searching.
    pub(super) fn text(&self) -> &[u8] {
        self.text.get_or_init(|| {
            let mut text = Vec::with_capacity(self.change.hunks.len());
            for line in self.hunks.iter().flat_map(|hunk| hunk.changed(true)) {
                text.extend_from_slice(line.text);
                text.push(b'\n');
            }
            text
        })
    }

    /// How many changed lines of code it has.
    pub(super) fn code_lines(&self) -> u32 {
        let count = self.hunks.iter().map(|hunk| hunk.code_lines().count()).sum::<usize>();
        u32::try_from(count).unwrap_or(u32::MAX)
    }
}

impl<'p> HunkView<'p> {
    /// The changed lines of code.
    pub(super) fn code_lines(&self) -> impl Iterator<Item = &Line<'p>> {
        self.changed(false)
    }

    /// The changed lines of code, or all that are not blank.
    pub(super) fn changed(&self, comments: bool) -> impl Iterator<Item = &Line<'p>> {
        self.changed_in(comments).map(|(line, _)| line)
    }

    /// The same, each with the declaration above it.
    pub(super) fn changed_in(&self, comments: bool) -> impl Iterator<Item = (&Line<'p>, &'p [u8])> {
        self.changed_inside(comments, false)
    }

    /// The same, if asked for only those in declarations that were there before and still are.
    pub(super) fn changed_inside(
        &self,
        comments: bool,
        existing: bool,
    ) -> impl Iterator<Item = (&Line<'p>, &'p [u8])> {
        let lines = self.hunk.lines.iter().zip(&self.kinds);
        lines
            .zip(self.sections.iter().zip(&self.fresh))
            .filter(move |((line, kind), (_, fresh))| {
                line.side != Side::Context
                    && !(existing && **fresh)
                    && (**kind == Kind::Code
                        || comments && !matches!(kind, Kind::Blank | Kind::Same))
            })
            .map(|((line, _), (section, _))| (line, *section))
    }
}

/// Whether the hunk starts inside a block comment: it is closed before one is opened.
pub(super) fn starts_open(hunk: &Hunk<'_>, side: Side, syntax: Syntax) -> Open {
    if syntax != Syntax::Slashes {
        return Open::Nothing;
    }
    for line in hunk.lines.iter().filter(|line| line.side == side || line.side == Side::Context) {
        for star in memchr::memchr_iter(b'*', line.text) {
            if star > 0 && line.text[star - 1] == b'/' {
                return Open::Nothing;
            }
            if line.text.get(star + 1) == Some(&b'/') {
                return Open::Comment;
            }
        }
    }
    Open::Nothing
}

/// What one side of a hunk has open between two lines.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SideState {
    open: Open,
    /// The brackets of a logging statement that are still open.
    depth: i32,
    /// The braces of a block that only logs that are still open.
    block: i32,
}

/// Finds what each line is.
fn kinds_of(hunk: &Hunk<'_>, syntax: Syntax, reading: &Reading) -> Vec<Kind> {
    if syntax == Syntax::Plain {
        let blank = |line: &Line<'_>| line.text.iter().all(u8::is_ascii_whitespace);
        let kinds = hunk.lines.iter().map(|l| if blank(l) { Kind::Blank } else { Kind::Code });
        return kinds.collect();
    }
    let start = |side| SideState { open: starts_open(hunk, side, syntax), depth: 0, block: 0 };
    let (mut old, mut new) = (start(Side::Removed), start(Side::Added));
    let mut kind_of = |line: &Line<'_>| match line.side {
        Side::Removed => step(&mut old, line.text, syntax, reading),
        Side::Added => step(&mut new, line.text, syntax, reading),
        Side::Context => {
            let same = old == new;
            let kind = step(&mut new, line.text, syntax, reading);
            if same {
                old = new;
            } else {
                step(&mut old, line.text, syntax, reading);
            }
            kind
        }
    };
    hunk.lines.iter().map(&mut kind_of).collect()
}

fn step(state: &mut SideState, text: &[u8], syntax: Syntax, reading: &Reading) -> Kind {
    let was_open = state.open;
    let mut any = false;
    let (mut round, mut curly) = (0_i32, 0_i32);
    state.open = tokens(text, syntax, state.open, |token| {
        any = true;
        match token {
            Token::Mark(b'(') => round += 1,
            Token::Mark(b')') => round -= 1,
            Token::Mark(b'{') => curly += 1,
            Token::Mark(b'}') => curly -= 1,
            _ => {}
        }
    });
    let told = text.trim_ascii();
    if !any {
        return if told.is_empty() { Kind::Blank } else { Kind::Comment };
    }
    if state.block > 0 {
        // What runs otherwise is no part of the block.
        let ends = state.block == 1 && told.starts_with(b"}") && told.ends_with(b"{");
        state.block = if ends { 0 } else { (state.block + curly).max(0) };
        return if ends { Kind::Code } else { Kind::Log };
    }
    if state.depth > 0 {
        state.depth = (state.depth + round).max(0);
        Kind::Log
    } else if was_open == Open::Nothing && reading.log_calls.is_match(told) {
        state.depth = round.max(0);
        Kind::Log
    } else if syntax == Syntax::Slashes && curly == 1 && reading.log_blocks.is_match(told) {
        state.block = 1;
        Kind::Log
    } else {
        Kind::Code
    }
}

/// The declaration above each line: git's, or a later line of the hunk that starts at the
/// margin and opens one; and whether that one came or went. Where one goes and another
/// comes in one run of changes, it got another name or signature, and was there.
fn sections<'p>(hunk: &Hunk<'p>, syntax: Syntax) -> (Vec<&'p [u8]>, Vec<bool>) {
    let opens = |line: &Line<'_>| {
        syntax == Syntax::Slashes
            && line.text.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
            && line.text.iter().any(|b| matches!(b, b'(' | b'{'))
            && !line.text.trim_ascii_end().ends_with(b";")
    };
    let mut all = (Vec::with_capacity(hunk.lines.len()), Vec::with_capacity(hunk.lines.len()));
    let mut current: (&[u8], bool) = (hunk.section, false);
    for run in hunk.lines.chunk_by(|a, b| (a.side == Side::Context) == (b.side == Side::Context)) {
        let opened = |side: Side| run.iter().any(|line| line.side == side && opens(line));
        let replaced = opened(Side::Removed) && opened(Side::Added);
        for line in run {
            if opens(line) {
                current = (line.text, line.side != Side::Context && !replaced);
            }
            all.0.push(current.0);
            all.1.push(current.1);
        }
    }
    all
}

/// The most lines of one side of a run that are compared with the other side's.
const MOST_COMPARED: usize = 400;

/// Marks lines of each run of changes whose tokens stand on both sides in the same order.
fn mark_same(hunk: &Hunk<'_>, error_calls: &Regex, kinds: &mut [Kind]) {
    let mut at = 0;
    while at < hunk.lines.len() {
        if hunk.lines[at].side == Side::Context {
            at += 1;
            continue;
        }
        let end = hunk.lines[at..]
            .iter()
            .position(|line| line.side == Side::Context)
            .map_or(hunk.lines.len(), |length| at + length);
        let of = |side: Side, kinds: &[Kind]| -> Vec<(usize, u64)> {
            (at..end)
                .filter(|&n| hunk.lines[n].side == side && kinds[n] == Kind::Code)
                .map(|n| (n, token_hash(hunk.lines[n].text, error_calls)))
                .collect()
        };
        let (old, new) = (of(Side::Removed, kinds), of(Side::Added, kinds));
        if !old.is_empty() && !new.is_empty() {
            for (a, b) in common(&old, &new) {
                kinds[a] = Kind::Same;
                kinds[b] = Kind::Same;
            }
        }
        at = end;
    }
}

/// FNV-1a over the tokens, parted so that `a b` is not `ab`; what an error says is left out.
fn token_hash(line: &[u8], error_calls: &Regex) -> u64 {
    let texts = !error_calls.is_match(line.trim_ascii());
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for &byte in bytes.iter().chain(b"\0") {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    tokens(line, Syntax::Slashes, Open::Nothing, |token| match token {
        Token::Text(_) if !texts => add(b"text"),
        Token::Name(text) | Token::Number(text) | Token::Text(text) => add(text),
        Token::Mark(byte) => add(&[byte]),
    });
    hash
}

/// A longest common subsequence by hash, as pairs of line numbers; for long runs only
/// what both share at their start and end.
fn common(old: &[(usize, u64)], new: &[(usize, u64)]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let head = old.iter().zip(new).take_while(|(a, b)| a.1 == b.1).count();
    pairs.extend(old.iter().zip(new).take(head).map(|(a, b)| (a.0, b.0)));
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a.1 == b.1).count();
    pairs.extend(old.iter().rev().zip(new.iter().rev()).take(tail).map(|(a, b)| (a.0, b.0)));
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    if old.is_empty() || new.is_empty() || old.len() > MOST_COMPARED || new.len() > MOST_COMPARED {
        return pairs;
    }
    let width = new.len() + 1;
    let mut best = vec![0_u16; (old.len() + 1) * width];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            best[a * width + b] = if old[a].1 == new[b].1 {
                best[(a + 1) * width + b + 1] + 1
            } else {
                best[(a + 1) * width + b].max(best[a * width + b + 1])
            };
        }
    }
    let (mut a, mut b) = (0, 0);
    while a < old.len() && b < new.len() {
        if old[a].1 == new[b].1 {
            pairs.push((old[a].0, new[b].0));
            a += 1;
            b += 1;
        } else if best[(a + 1) * width + b] >= best[a * width + b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    pairs
}
