//! What a C header declares: read from its tokens, since its macros are beyond a grammar.

use std::collections::BTreeMap;

use crate::ledger::lex::{self, Kind, Token};

/// One declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Declared {
    /// What it is, without layout and comments.
    pub text: String,
    /// The line, from 1.
    pub line: u32,
    /// For a field: its place among its siblings.
    pub place: usize,
}

/// A declaration's kind, its owner (a struct or enum; else nothing) and its name.
pub(super) type Key = (Kinds, String, String);

/// What can be declared.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Kinds {
    /// A member of a struct.
    Field,
    /// A constant of an enum.
    Constant,
    /// A function.
    Function,
    /// A macro with a value.
    Macro,
    /// A type's other name.
    Type,
}

/// Every declaration of a header.
pub(super) fn declared(text: &str) -> BTreeMap<Key, Declared> {
    let mut out = BTreeMap::new();
    let code = macros(text, &mut out);
    let starts: Vec<usize> = std::iter::once(0)
        .chain(code.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1))
        .collect();
    let line = |token: &Token<'_>| {
        u32::try_from(starts.partition_point(|start| *start <= token.start)).unwrap_or(u32::MAX)
    };
    let tokens: Vec<Token<'_>> =
        lex::tokens(&code, 0).filter(|token| token.kind != Kind::Comment).collect();
    let mut rest = tokens.as_slice();
    while !rest.is_empty() {
        let (item, after) = item(rest);
        read(item, &line, &mut out);
        rest = after;
    }
    out
}

/// Takes out preprocessor lines, and keeps what they define; lines keep their numbers.
fn macros(text: &str, out: &mut BTreeMap<Key, Declared>) -> String {
    let mut code = String::with_capacity(text.len());
    let mut inside = false;
    for (line, number) in text.lines().zip(1_u32..) {
        let directive = line.trim_start().strip_prefix('#');
        if let (Some(rest), false) = (directive, inside)
            && let Some(defined) = rest.trim_start().strip_prefix("define ")
        {
            let defined = defined.trim();
            let end = defined.find(|c: char| !(c.is_alphanumeric() || c == '_'));
            let (name, value) = defined.split_at(end.unwrap_or(defined.len()));
            let value = flat(lex::tokens(value, 0).filter(|t| t.kind != Kind::Comment));
            // What takes arguments or says nothing is no value.
            if !value.is_empty() && !value.starts_with('(') || value.ends_with(')') {
                let key = (Kinds::Macro, String::new(), name.to_owned());
                out.insert(key, Declared { text: value, line: number, place: 0 });
            }
        }
        if directive.is_none() && !inside {
            code.push_str(line);
        }
        inside = (directive.is_some() || inside) && line.ends_with('\\');
        code.push('\n');
    }
    code
}

/// The tokens up to the end of the next declaration, and what follows.
fn item<'t, 'a>(tokens: &'t [Token<'a>]) -> (&'t [Token<'a>], &'t [Token<'a>]) {
    // `extern "C" {` holds declarations, and its end is nobody's.
    if let [a, b, c, rest @ ..] = tokens
        && a.is("extern")
        && b.kind == Kind::Text
        && c.is("{")
    {
        return (&[], rest);
    }
    if let [a, rest @ ..] = tokens
        && (a.is("}") || a.is(";"))
    {
        return (&[], rest);
    }
    let mut depth = 0u32;
    let mut body = false;
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "{" | "(" | "[" => {
                body |= token.is("{");
                depth += 1;
            }
            "}" | ")" | "]" => {
                depth = depth.saturating_sub(1);
                // A function's body ends without a semicolon.
                let next = tokens.get(at + 1);
                let typed = tokens
                    .iter()
                    .take(2)
                    .any(|t| matches!(t.text, "struct" | "enum" | "union" | "typedef"));
                if depth == 0 && token.is("}") && !typed && !next.is_some_and(|t| t.is(";")) {
                    return tokens.split_at(at + 1);
                }
            }
            ";" if depth == 0 => return tokens.split_at(at + 1),
            _ => {}
        }
    }
    let _ = body;
    (tokens, &[])
}

fn read(item: &[Token<'_>], line: &dyn Fn(&Token<'_>) -> u32, out: &mut BTreeMap<Key, Declared>) {
    let item = undeprecated(item);
    let Some(first) = item.first() else { return };
    let open = item.iter().position(|token| token.is("{"));
    let head = item.get(..open.unwrap_or(item.len())).unwrap_or_default();
    let typed = |word: &str| head.iter().take(2).any(|token| token.is(word));
    let call = item.iter().position(|token| token.is("("));
    match open {
        Some(open) if typed("enum") || typed("struct") || typed("union") => {
            let owner = owner(item, head);
            let close = item.iter().rposition(|token| token.is("}")).unwrap_or(item.len());
            let inner = item.get(open + 1..close).unwrap_or_default();
            let is_enum = typed("enum");
            let parts = parts(inner, if is_enum { "," } else { ";" });
            for (place, part) in parts.into_iter().enumerate() {
                let Some(start) = part.first() else { continue };
                let name = if is_enum { start.text.to_owned() } else { field(part) };
                let kind = if is_enum { Kinds::Constant } else { Kinds::Field };
                let text = flat(part.iter().copied());
                out.insert(
                    (kind, owner.clone(), name),
                    Declared { text, line: line(start), place },
                );
            }
        }
        Some(_) => {}
        None if first.is("typedef") => {
            let words = item.iter().rev().filter(|t| t.kind == Kind::Word);
            // `typedef int (*name)(int)` has its name in the first parentheses.
            let name = match item.windows(3).find(|w| w[0].is("(") && w[1].is("*")) {
                Some(w) => w[2].text.to_owned(),
                None => words.map(|t| t.text.to_owned()).next().unwrap_or_default(),
            };
            let key = (Kinds::Type, String::new(), name);
            let text = flat(item.iter().copied());
            out.insert(key, Declared { text, line: line(first), place: 0 });
        }
        None => {
            let Some(call) = call else { return };
            let name = item.get(..call).and_then(|head| head.last());
            let Some(name) = name.filter(|name| name.kind == Kind::Word && call > 1) else {
                return;
            };
            let key = (Kinds::Function, String::new(), name.text.to_owned());
            let text = flat(item.iter().copied());
            out.insert(key, Declared { text, line: line(name), place: 0 });
        }
    }
}

/// `API DEPRECATED(declaration, "hint");` declares what stands in the parentheses.
fn undeprecated<'t, 'a>(item: &'t [Token<'a>]) -> &'t [Token<'a>] {
    let Some(at) = item.iter().take(2).position(|t| t.text.ends_with("DEPRECATED")) else {
        return item;
    };
    let inner = item.get(at + 2..).unwrap_or_default();
    let end = inner.iter().position(|t| t.kind == Kind::Text);
    // Without the comma before the hint.
    let end = end.map_or(inner.len(), |end| end.saturating_sub(1));
    inner.get(..end).unwrap_or_default()
}

/// The name of a struct or enum: after the word, or at the end of a typedef.
fn owner(item: &[Token<'_>], head: &[Token<'_>]) -> String {
    let after = head.iter().rposition(|t| matches!(t.text, "struct" | "enum" | "union"));
    let named = after.and_then(|at| head.get(at + 1)).filter(|t| t.kind == Kind::Word);
    let last = item.iter().rev().find(|t| t.kind == Kind::Word);
    named.or(last).map(|t| t.text.to_owned()).unwrap_or_default()
}

/// The parts of a block, at its own depth.
fn parts<'t, 'a>(tokens: &'t [Token<'a>], mark: &str) -> Vec<&'t [Token<'a>]> {
    let mut out = Vec::new();
    let (mut depth, mut from) = (0u32, 0);
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            text if text == mark && depth == 0 => {
                out.push(tokens.get(from..at).unwrap_or_default());
                from = at + 1;
            }
            _ => {}
        }
    }
    out.push(tokens.get(from..).unwrap_or_default());
    out.retain(|part| !part.is_empty());
    out
}

/// A field's name: of a pointer to a function the one in its first parentheses, of an
/// array the one before the bracket.
fn field(part: &[Token<'_>]) -> String {
    if let Some(w) = part.windows(2).find(|w| w[0].is("*") && w[1].kind == Kind::Word)
        && part.iter().any(|t| t.is("("))
    {
        let at = part.iter().position(|t| t.is("("));
        let inside = at.and_then(|at| {
            part.get(at + 1..)?.iter().find(|t| t.kind == Kind::Word && !t.is("GGML_CALL"))
        });
        return inside.unwrap_or(&w[1]).text.to_owned();
    }
    let end = part.iter().position(|t| t.is("[") || t.is(":") || t.is("="));
    let head = part.get(..end.unwrap_or(part.len())).unwrap_or_default();
    let name = head.iter().rev().find(|t| t.kind == Kind::Word);
    name.map(|t| t.text.to_owned()).unwrap_or_default()
}

fn flat<'a>(tokens: impl Iterator<Item = Token<'a>>) -> String {
    let mut out = String::new();
    for token in tokens {
        if token.is(";") {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(token.text);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_headers_declare() {
        let text = "#pragma once\n#define A_VERSION 2 // two\n#define A_API extern\n#define F(x) \\\n  (x)\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n    // caps\n    struct caps {\n        bool async; // a\n        char name[8];\n        int (*call)(int a, void * b);\n    };\n\n    enum mode { MODE_ONE = 1, MODE_TWO, };\n    typedef struct box * box_t;\n    A_API int do_it(struct caps * c, int n);\n    A_API A_DEPRECATED(void old_one(int a), \"use do_it\");\n    static inline int twice(int a) { return a; }\n    A_API void last(void);\n#ifdef __cplusplus\n}\n#endif\n";
        let all = declared(text);
        let told: Vec<String> = all
            .iter()
            .map(|((kind, owner, name), d)| {
                format!("{kind:?} {owner}.{name}:{} {}", d.line, d.text)
            })
            .collect();
        assert_eq!(
            told,
            [
                "Field caps.async:13 bool async",
                "Field caps.call:15 int ( * call ) ( int a , void * b )",
                "Field caps.name:14 char name [ 8 ]",
                "Constant mode.MODE_ONE:18 MODE_ONE = 1",
                "Constant mode.MODE_TWO:18 MODE_TWO",
                "Function .do_it:20 A_API int do_it ( struct caps * c , int n )",
                "Function .last:23 A_API void last ( void )",
                "Function .old_one:21 void old_one ( int a )",
                "Macro .A_API:3 extern",
                "Macro .A_VERSION:2 2",
                "Type .box_t:19 typedef struct box * box_t",
            ]
        );
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(
            text in "((struct|enum|typedef|extern \"C\"|#define|X_DEPRECATED|[a-z]{1,4}|[{}()\\[\\];,*=:#\"\\\\\n /]|\\PC) ?){0,40}"
        ) {
            let _ = declared(&text);
        }
    }
}
