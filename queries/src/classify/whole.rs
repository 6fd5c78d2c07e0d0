//! Declarations that come or go whole: nothing in them ran for the code that stays, since
//! whatever called one of them has to change too, in a hunk of its own.

use std::collections::{HashMap, HashSet};

use headwater_store::model::{ChangeStatus, Line, Side};

use super::idiom::is_go;
use super::lexer::{Open, Syntax, Token, tokens};
use super::view::{FileView, HunkView, Kind, View};

/// Whether the hunk takes whole functions, types or variables away, or puts plain new
/// functions and types there, and nothing else.
///
/// Left out is what acts without being called by name: initializers, methods that others
/// find by asking for an interface, templates' specializations, macros, and in kernels
/// everything.
pub(super) fn only_declarations(view: &View<'_>, file: &FileView<'_>, hunk: &HunkView<'_>) -> bool {
    let mut lines: Vec<&Line<'_>> = hunk.code_lines().collect();
    let Some(side) = lines.first().map(|line| line.side) else { return false };
    // Whoever used something of a file that is gone has to change too.
    if file.change.status == ChangeStatus::Deleted && is_plain_c(&file.change.path) {
        return !lines.iter().any(|line| sets_macro(line.text));
    }
    if lines.iter().any(|line| line.side != side) {
        return false;
    }
    // Git may show the end of the declaration before in place of the last one's own.
    let body_end = |line: &&Line<'_>| matches!(line.text.trim_ascii_end(), b"}" | b"}," | b")");
    if lines.first().is_some_and(body_end) && ends_before(hunk) {
        let end = lines.remove(0);
        lines.push(end);
    }
    if is_go(&file.change.path) {
        go_declarations(&lines, side)
    } else if !is_plain_c(&file.change.path) {
        false
    } else if side == Side::Removed {
        c_declarations(&lines)
    } else {
        c_additions(view, &lines)
    }
}

/// Whether the line gives a macro a value: other files may ask for it without a word.
fn sets_macro(line: &[u8]) -> bool {
    let rest = line.trim_ascii().strip_prefix(b"#define");
    rest.is_some_and(|rest| rest.trim_ascii().contains(&b' '))
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
        let logs = name == b"LogValue";
        let acts = asked_for || method && side == Side::Added && !logs;
        (!acts).then(|| first.ends_with(b"{"))
    })
}

fn c_declarations(lines: &[&Line<'_>]) -> bool {
    all_whole(lines, |first| {
        let function = first.starts_with(b"static ") && !first.contains(&b'=');
        let template = first.starts_with(b"template<") || first.starts_with(b"template <");
        let special = first.windows(2).any(|pair| pair == b"<>") || first.ends_with(b"template <>");
        ((function || template) && !special && !first.ends_with(b";")).then_some(true)
    })
}

/// New functions of a library that nothing calls yet: what a header tells of them, and their
/// definitions. (A function that no header tells of may be one that was missing somewhere.)
fn c_additions(view: &View<'_>, lines: &[&Line<'_>]) -> bool {
    let mut told_of: Option<HashSet<&[u8]>> = None;
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let first = line.text.trim_ascii();
        let told = is_offered(first);
        let defined = line.text.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
            && starts_function(first)
            && function_name(first).is_some_and(|name| {
                told_of.get_or_insert_with(|| new_in_headers(view)).contains(name)
            });
        let ends = |line: &&Line<'_>| {
            if told { line.text.trim_ascii_end().ends_with(b";") } else { line.text == b"}" }
        };
        if !told && !defined {
            return false;
        }
        let Some(end) = lines[at..].iter().position(ends) else { return false };
        let torn = |line: &&Line<'_>| line.text.trim_ascii_start().starts_with(b"#");
        if lines[at..=at + end].iter().any(torn) {
            return false;
        }
        at += end + 1;
    }
    !lines.is_empty()
}

/// What stands before a function that a library gives to others.
const API_MARKS: [&[u8]; 4] = [b"GGML_API ", b"LLAMA_API ", b"MTMD_API ", b"GGML_BACKEND_API "];

fn is_offered(line: &[u8]) -> bool {
    API_MARKS.iter().any(|mark| line.starts_with(mark))
}

/// The functions that added lines of headers offer.
fn new_in_headers<'v>(view: &'v View<'_>) -> HashSet<&'v [u8]> {
    let headers = view.files.iter().filter(|file| file.change.path.ends_with(".h"));
    let lines = headers.flat_map(|file| &file.hunks).flat_map(HunkView::code_lines);
    let added = lines.filter(|line| line.side == Side::Added).map(|line| line.text.trim_ascii());
    added.filter(|line| is_offered(line)).filter_map(function_name).collect()
}

/// The last name before the first bracket.
fn function_name(line: &[u8]) -> Option<&[u8]> {
    let before = line[..line.iter().position(|byte| *byte == b'(')?].trim_ascii_end();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let start = before.iter().rposition(|byte| !is_name(byte)).map_or(0, |at| at + 1);
    Some(&before[start..]).filter(|name| !name.is_empty())
}

/// Whether the line opens the definition of a function that runs only when it is called.
fn starts_function(line: &[u8]) -> bool {
    let others: [&[u8]; 10] = [
        b"template",
        b"struct ",
        b"class ",
        b"enum ",
        b"union ",
        b"namespace",
        b"extern",
        b"using ",
        b"typedef",
        b"__attribute__",
    ];
    let returns_struct = line.starts_with(b"struct ") && !line.ends_with(b"{")
        || line.starts_with(b"struct ") && line.contains(&b'*');
    let acts = line.windows(2).any(|pair| pair == b"__") || line.contains(&b'=');
    let named = line.iter().position(|byte| *byte == b'(').is_some_and(|open| {
        // A type before the name, and no macro that is called.
        line[..open].contains(&b' ') && !line[..open].windows(8).any(|word| word == b"operator")
    });
    let other = others.iter().any(|word| line.starts_with(word)) && !returns_struct;
    named && !acts && !other && !line.ends_with(b";")
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
