//! Declarations that come or go whole: nothing in them ran for the code that stays, since
//! whatever called one of them has to change too, in a hunk of its own.

use std::collections::{HashMap, HashSet};

use headwater_store::model::{Line, Side};

use super::idiom::is_go;
use super::lexer::{Open, Syntax, Token, tokens};
use super::view::{FileView, HunkView, Kind, View};

/// Whether the hunk takes whole functions, types or variables away, or puts plain new
/// functions and types there, and nothing else.
///
/// Left out is what acts without being called by name: initializers, methods that others
/// find by asking for an interface, templates' specializations, macros, and in kernels
/// everything.
pub(super) fn only_declarations(file: &FileView<'_>, hunk: &HunkView<'_>) -> bool {
    let mut lines: Vec<&Line<'_>> = hunk.code_lines().collect();
    let Some(side) = lines.first().map(|line| line.side) else { return false };
    if lines.iter().any(|line| line.side != side) {
        return false;
    }
    // Git may show the end of the declaration before in place of the last one's own.
    let body_end = |line: &&Line<'_>| matches!(line.text.trim_ascii_end(), b"}" | b"}," | b")");
    if lines.first().is_some_and(body_end) && ends_before(hunk) {
        let end = lines.remove(0);
        lines.push(end);
    }
    let reads = if is_go(&file.change.path) {
        go_declarations
    } else if side == Side::Removed && is_plain_c(&file.change.path) {
        c_declarations
    } else {
        return false;
    };
    reads(&lines, side)
}

/// Whether an unchanged line that closes a declaration follows the changed ones.
fn ends_before(hunk: &HunkView<'_>) -> bool {
    let changed = |(line, kind): &(&Line<'_>, &Kind)| {
        line.side != Side::Context && !matches!(kind, Kind::Blank)
    };
    let mut lines = hunk.hunk.lines.iter().zip(&hunk.kinds);
    let Some(last) = lines.by_ref().rposition(|pair| changed(&pair)) else { return false };
    let mut after = hunk.hunk.lines.iter().skip(last + 1);
    after
        .find(|line| !line.text.trim_ascii().is_empty())
        .is_some_and(|line| matches!(line.text.trim_ascii_end(), b"}" | b")"))
}

/// C and C++ proper: what kernels are made of is found by name, not by calls.
fn is_plain_c(path: &str) -> bool {
    path.rsplit('.').next().is_some_and(|extension| matches!(extension, "c" | "cpp" | "h" | "hpp"))
}

fn go_declarations(lines: &[&Line<'_>], side: Side) -> bool {
    all_whole(lines, |first| {
        if first.starts_with(b"package ") || first == b"import (" {
            return Some(first.ends_with(b"("));
        }
        let Some(rest) = first.strip_prefix(b"func ") else {
            let others: [&[u8]; 3] = [b"type ", b"var ", b"const "];
            // A new variable's value may do something of its own.
            return if others.iter().any(|word| first.starts_with(word))
                && (side == Side::Removed || !first.starts_with(b"var "))
            {
                Some(first.ends_with(b"{") || first.ends_with(b"("))
            } else {
                None
            };
        };
        let method = rest.starts_with(b"(");
        let name = if method {
            let close = rest.iter().position(|b| *b == b')')?;
            rest.get(close + 1..)?.trim_ascii_start()
        } else {
            rest
        };
        let name = &name[..name.iter().position(|b| matches!(b, b'(' | b'['))?];
        let asked_for = name.starts_with(b"Marshal")
            || name.starts_with(b"Unmarshal")
            || matches!(name, b"init" | b"String" | b"Error" | b"Unwrap" | b"Is" | b"As");
        let acts = asked_for || method && side == Side::Added;
        (!acts).then(|| first.ends_with(b"{"))
    })
}

fn c_declarations(lines: &[&Line<'_>], _side: Side) -> bool {
    all_whole(lines, |first| {
        let function = first.starts_with(b"static ") && !first.contains(&b'=');
        let template = first.starts_with(b"template<") || first.starts_with(b"template <");
        let special = first.windows(2).any(|pair| pair == b"<>") || first.ends_with(b"template <>");
        ((function || template) && !special && !first.ends_with(b";")).then_some(true)
    })
}

/// Whether the lines are declarations from their first line to the line that closes them.
/// `opens` tells for a first line whether more lines follow; nothing where it is not one.
fn all_whole(lines: &[&Line<'_>], opens: impl Fn(&[u8]) -> Option<bool>) -> bool {
    let mut at = 0;
    while at < lines.len() {
        let first = lines[at].text.trim_ascii_end();
        let Some(more) = opens(first) else { return false };
        at += 1;
        if !more {
            continue;
        }
        let closes =
            |line: &&Line<'_>| matches!(line.text.trim_ascii_end(), b"}" | b"};" | b")" | b"}()");
        let Some(end) = lines[at..].iter().position(closes) else { return false };
        // Directives inside would tear it: a part of it may be all that went. What is
        // imported as `_` is imported for what it does.
        let torn = |line: &&Line<'_>| {
            let text = line.text.trim_ascii_start();
            text.starts_with(b"#") || text.starts_with(b"_ ")
        };
        if lines[at..at + end].iter().any(torn) {
            return false;
        }
        at += end + 1;
    }
    !lines.is_empty()
}

/// A declaration: its name and its tokens.
type Block<'a> = (&'a [u8], Vec<Token<'a>>);

/// The names of Go's types and functions that went from one file to another as they are.
pub(super) fn moved_names<'v>(view: &'v View<'_>) -> HashSet<&'v [u8]> {
    let mut sides: [HashMap<Block<'_>, &str>; 2] = [HashMap::new(), HashMap::new()];
    for file in view.files.iter().filter(|file| is_go(&file.change.path)) {
        for hunk in &file.hunks {
            for (slot, side) in [Side::Removed, Side::Added].into_iter().enumerate() {
                let lines = hunk.code_lines().filter(|line| line.side == side);
                let lines: Vec<&[u8]> = lines.map(|line| line.text.trim_ascii_end()).collect();
                for (name, block) in blocks(&lines) {
                    sides[slot].insert((name, block), file.change.path.as_str());
                }
            }
        }
    }
    let [gone, come] = sides;
    let elsewhere = |(key, path): (&Block<'v>, &&str)| {
        come.get(key).is_some_and(|to| to != path).then_some(key.0)
    };
    gone.iter().filter_map(elsewhere).collect()
}

/// Declarations among lines, by name, from their first line to the one that closes them.
fn blocks<'a>(lines: &[&'a [u8]]) -> Vec<Block<'a>> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let first = lines[at];
        at += 1;
        let named = first.strip_prefix(b"type ").or_else(|| first.strip_prefix(b"func "));
        let Some(rest) = named.filter(|rest| !rest.starts_with(b"(")) else { continue };
        let end = rest.iter().position(|b| !(b.is_ascii_alphanumeric() || *b == b'_'));
        let name = &rest[..end.unwrap_or(rest.len())];
        let length = if first.ends_with(b"{") {
            let Some(close) = lines[at..].iter().position(|line| *line == b"}") else { continue };
            close + 1
        } else {
            0
        };
        let mut block = Vec::new();
        for line in &lines[at - 1..at + length] {
            tokens(line, Syntax::Slashes, Open::Nothing, |token| block.push(token));
        }
        at += length;
        all.push((name, block));
    }
    all
}
