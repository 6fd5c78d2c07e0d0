//! A commit as rules see it: every changed line told apart as code, comment, logging or
//! blank, and the changed text of each file in one run for fast searching.

use headwater_store::model::{CommitPatch, FileChange, Hunk, Side};
use regex::bytes::RegexSet;

use super::lexer::{Open, Syntax, Token, tokens};

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing but space.
    Blank,
    /// Only comment.
    Comment,
    /// A statement that logs or prints, or a part of one.
    Log,
    /// Anything else.
    Code,
}

/// A commit, read.
pub(super) struct View<'p> {
    pub(super) patch: &'p CommitPatch,
    pub(super) files: Vec<FileView<'p>>,
    /// The changed lines of code in all files.
    pub(super) code_lines: u32,
}

/// One file of it.
pub(super) struct FileView<'p> {
    pub(super) change: &'p FileChange,
    pub(super) syntax: Syntax,
    pub(super) hunks: Vec<HunkView<'p>>,
    /// All changed lines, each ended by a line feed.
    pub(super) text: Vec<u8>,
}

/// One hunk of it: the kinds stand beside the lines.
pub(super) struct HunkView<'p> {
    pub(super) hunk: Hunk<'p>,
    pub(super) kinds: Vec<Kind>,
}

impl<'p> View<'p> {
    pub(super) fn of(patch: &'p CommitPatch, log_calls: &RegexSet) -> Self {
        let files: Vec<_> =
            patch.files.iter().map(|change| FileView::of(change, log_calls)).collect();
        let code_lines = files.iter().map(FileView::code_lines).sum();
        View { patch, files, code_lines }
    }
}

impl<'p> FileView<'p> {
    fn of(change: &'p FileChange, log_calls: &RegexSet) -> Self {
        let syntax = Syntax::of(&change.path);
        let mut text = Vec::with_capacity(change.hunks.len() / 2);
        let hunks = change
            .parsed()
            .into_iter()
            .map(|hunk| {
                let mut kinds = vec![Kind::Code; hunk.lines.len()];
                kinds_of_side(&hunk, Side::Removed, syntax, log_calls, &mut kinds);
                kinds_of_side(&hunk, Side::Added, syntax, log_calls, &mut kinds);
                for line in hunk.lines.iter().filter(|line| line.side != Side::Context) {
                    text.extend_from_slice(line.text);
                    text.push(b'\n');
                }
                HunkView { hunk, kinds }
            })
            .collect();
        FileView { change, syntax, hunks, text }
    }

    /// How many changed lines of code it has.
    pub(super) fn code_lines(&self) -> u32 {
        let count = self.hunks.iter().map(|hunk| hunk.code_lines().count()).sum::<usize>();
        u32::try_from(count).unwrap_or(u32::MAX)
    }
}

impl<'p> HunkView<'p> {
    /// The changed lines of code.
    pub(super) fn code_lines(&self) -> impl Iterator<Item = &headwater_store::model::Line<'p>> {
        self.changed(false)
    }

    /// The changed lines of code, or all that are not blank.
    pub(super) fn changed(
        &self,
        comments: bool,
    ) -> impl Iterator<Item = &headwater_store::model::Line<'p>> {
        self.hunk
            .lines
            .iter()
            .zip(&self.kinds)
            .filter(move |(line, kind)| {
                line.side != Side::Context
                    && (**kind == Kind::Code || comments && **kind != Kind::Blank)
            })
            .map(|(line, _)| line)
    }
}

/// Whether the hunk starts inside a block comment: it is closed before one is opened.
pub(super) fn starts_open(hunk: &Hunk<'_>, side: Side, syntax: Syntax) -> Open {
    if syntax != Syntax::Slashes {
        return Open::Nothing;
    }
    for line in hunk.lines.iter().filter(|line| line.side == side || line.side == Side::Context) {
        let close = memchr::memmem::find(line.text, b"*/");
        let open = memchr::memmem::find(line.text, b"/*");
        match (open, close) {
            (Some(open), Some(close)) if close < open => return Open::Comment,
            (Some(_), _) => return Open::Nothing,
            (None, Some(_)) => return Open::Comment,
            (None, None) => {}
        }
    }
    Open::Nothing
}

/// Finds the kinds of the lines of one side, context included.
fn kinds_of_side(
    hunk: &Hunk<'_>,
    side: Side,
    syntax: Syntax,
    log_calls: &RegexSet,
    kinds: &mut [Kind],
) {
    let mut open = starts_open(hunk, side, syntax);
    // The brackets of a logging statement that are still open.
    let mut depth = 0_i32;
    for (line, kind) in hunk.lines.iter().zip(kinds.iter_mut()) {
        if line.side != side && line.side != Side::Context {
            continue;
        }
        let was_open = open;
        let mut any = false;
        let mut balance = 0_i32;
        open = tokens(line.text, syntax, open, |token| {
            any = true;
            match token {
                Token::Mark(b'(') => balance += 1,
                Token::Mark(b')') => balance -= 1,
                _ => {}
            }
        });
        *kind = if line.text.iter().all(u8::is_ascii_whitespace) {
            Kind::Blank
        } else if !any {
            Kind::Comment
        } else if depth > 0 {
            depth = (depth + balance).max(0);
            Kind::Log
        } else if syntax != Syntax::Plain
            && was_open == Open::Nothing
            && log_calls.is_match(line.text.trim_ascii())
        {
            depth = balance.max(0);
            Kind::Log
        } else {
            Kind::Code
        };
    }
}
