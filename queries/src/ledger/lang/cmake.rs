//! CMake: options and variables, under the conditions that set them.

use regex::Regex;

use super::{Found, guarded};
use crate::ledger::entry::How;

/// One command of a file.
struct Command {
    name: String,
    args: Vec<String>,
    at: usize,
}

/// Options, cache variables, and variables and flags of these names.
pub(crate) fn commands(text: &str, names: &Regex) -> Vec<Found> {
    let mut out = Vec::new();
    let mut guards: Vec<String> = Vec::new();
    let mut depth_of_function = 0u32;
    for command in read(text) {
        let args: Vec<&str> = command.args.iter().map(String::as_str).collect();
        match command.name.as_str() {
            "if" => guards.push(args.join(" ")),
            "elseif" => {
                guards.pop();
                guards.push(format!("elif {}", args.join(" ")));
            }
            "else" => {
                if let Some(last) = guards.pop() {
                    let last = last.trim_start_matches("elif ");
                    guards.push(format!("else({last})"));
                }
            }
            "endif" => {
                guards.pop();
            }
            "function" | "macro" => depth_of_function += 1,
            "endfunction" | "endmacro" => depth_of_function = depth_of_function.saturating_sub(1),
            _ => {
                let set = setting(&command.name, &args, names);
                if let Some((knob, value)) = set.filter(|(knob, _)| !knob.contains("${")) {
                    let how =
                        if !guards.is_empty() { How::Conditional } else { super::how(&value) };
                    let how = if value.contains("${") && guards.is_empty() {
                        How::Computed(value.clone())
                    } else {
                        how
                    };
                    out.push(Found::new(knob, guarded(&guards, &value), command.at).with(how));
                }
            }
        }
    }
    out
}

fn setting(name: &str, args: &[&str], names: &Regex) -> Option<(String, String)> {
    match (name, args) {
        // `option(NAME "help" ON)`; without a value it is OFF.
        ("option", [knob, rest @ ..]) => {
            let value = rest.get(1).map_or_else(|| "OFF".to_owned(), |v| bare(v));
            Some(((*knob).to_owned(), value))
        }
        ("set", [knob, rest @ ..]) => {
            let cache = rest.iter().position(|a| *a == "CACHE");
            if cache.is_none() && !names.is_match(knob) {
                return None;
            }
            let values = &rest[..cache.unwrap_or(rest.len())];
            let values: Vec<_> =
                values.iter().filter(|v| **v != "PARENT_SCOPE").map(|v| bare(v)).collect();
            // What is set to itself only enters the cache.
            let own = values == [format!("${{{knob}}}")];
            (!values.is_empty() && !own).then(|| ((*knob).to_owned(), values.join(" ")))
        }
        ("list" | "string", [what, knob, rest @ ..])
            if *what == "APPEND" && names.is_match(knob) =>
        {
            let values: Vec<_> = rest.iter().map(|v| bare(v)).collect();
            Some(((*knob).to_owned(), format!("+{}", values.join(" "))))
        }
        ("list", ["REMOVE_ITEM", knob, rest @ ..]) if names.is_match(knob) => {
            Some(((*knob).to_owned(), format!("-{}", rest.join(" "))))
        }
        ("target_compile_options", [target, rest @ ..])
            if names.is_match("target_compile_options") && !target.contains("${") =>
        {
            let values: Vec<_> = rest
                .iter()
                .filter(|v| !matches!(**v, "PRIVATE" | "PUBLIC" | "INTERFACE"))
                .map(|v| bare(v))
                .collect();
            Some((format!("{target} compile options"), values.join(" ")))
        }
        _ => None,
    }
}

/// An argument's text: its quotes off, those in it undone.
fn bare(argument: &str) -> String {
    let quoted = argument.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    quoted.map_or_else(|| argument.to_owned(), |text| text.replace("\\\"", "\""))
}

/// The commands of a file, by CMake's own lexical rules: a name, then arguments in
/// brackets, quoted, bracket-quoted or bare; `#` comments.
fn read(text: &str) -> Vec<Command> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let b = bytes[at];
        if b == b'#' {
            at = skip_comment(text, at);
        } else if b == b'"' {
            at = quoted(bytes, at);
        } else if b.is_ascii_alphabetic() || b == b'_' {
            let start = at;
            while bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
                at += 1;
            }
            let name = text[start..at].to_lowercase();
            let mut open = at;
            while bytes.get(open).is_some_and(u8::is_ascii_whitespace) {
                open += 1;
            }
            if bytes.get(open) == Some(&b'(') {
                let (args, end) = arguments(text, open + 1);
                out.push(Command { name, args, at: start });
                at = end;
            }
        } else {
            at += 1;
        }
    }
    out
}

fn skip_comment(text: &str, at: usize) -> usize {
    if let Some(end) = bracket(text, at + 1) {
        return end;
    }
    memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |n| at + n)
}

/// The end of `[==[ … ]==]` that begins at `at`, if one does.
fn bracket(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?.strip_prefix('[')?;
    let marks = rest.len() - rest.trim_start_matches('=').len();
    rest.get(marks..)?.strip_prefix('[')?;
    let close = format!("]{}]", "=".repeat(marks));
    text[at..].find(&close).map(|n| at + n + close.len())
}

fn quoted(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(b) = bytes.get(end) {
        match b {
            b'\\' => end += 2,
            b'"' => return end + 1,
            _ => end += 1,
        }
    }
    bytes.len()
}

/// The arguments from behind a command's bracket, and the place behind its end.
/// Brackets within (of conditions) are arguments of their own.
fn arguments(text: &str, start: usize) -> (Vec<String>, usize) {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (start, 0u32);
    let mut out: Vec<String> = Vec::new();
    let flat = |s: &str| s.split_whitespace().collect::<Vec<_>>().join(" ");
    while let Some(&b) = bytes.get(at) {
        match b {
            b'#' => at = skip_comment(text, at),
            b'(' => {
                depth += 1;
                out.push("(".to_owned());
                at += 1;
            }
            b')' if depth == 0 => return (out, at + 1),
            b')' => {
                depth -= 1;
                out.push(")".to_owned());
                at += 1;
            }
            _ if b.is_ascii_whitespace() => at += 1,
            _ => {
                let from = at;
                if let Some(end) = bracket(text, at) {
                    at = end;
                } else {
                    while let Some(&b) = bytes.get(at) {
                        match b {
                            b'"' => at = quoted(bytes, at),
                            b'\\' => at += 2,
                            b'(' | b')' | b'#' => break,
                            _ if b.is_ascii_whitespace() => break,
                            _ => at += 1,
                        }
                    }
                }
                at = at.min(bytes.len());
                while !text.is_char_boundary(at) {
                    at += 1;
                }
                out.push(flat(&text[from..at]));
            }
        }
    }
    (out, bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_values_under_conditions() {
        let text = "option(A \"help (x)\" ON)\nset(B 3 CACHE STRING \"b\")\nset(B \"${B}\" CACHE STRING \"b\" FORCE)\nset(other 1)\nif (X AND NOT Y)\n  set(ARCHS \"50;61\") # c\nelseif (Z)\n  set(ARCHS \"60\")\nelse()\n  list(APPEND ARCHS 70 80)\nendif()\nset(C \"a \\\"b\\\"\" CACHE STRING \"c\")\n";
        let found = commands(text, &Regex::new("^ARCHS$").unwrap());
        let told: Vec<_> = found.iter().map(|f| (f.knob.as_str(), f.value.as_str())).collect();
        assert_eq!(
            told,
            [
                ("A", "ON"),
                ("B", "3"),
                ("ARCHS", "[X AND NOT Y] 50;61"),
                ("ARCHS", "[elif Z] 60"),
                ("ARCHS", "[else(Z)] +70 80"),
                ("C", "a \"b\"")
            ]
        );
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "(\\PC{0,12}|(if|set|option|endif|else|list)\\(| |\\)|\"|\n|#){0,16}") {
            let _ = commands(&text, &Regex::new("").unwrap());
        }
    }
}
