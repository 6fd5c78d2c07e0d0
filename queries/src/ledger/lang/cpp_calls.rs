//! C++: defaults in calls and statements: fields of a request, named constants,
//! values for what is unset, one program's own values.

use regex::Regex;

use super::{Found, guarded};
use crate::ledger::entry::How;
use crate::ledger::lex::{self, Kind};
use crate::ledger::tree;

/// `call(subject, "field", value)`: what a request's field defaults to.
pub(crate) fn requests(text: &str, call: &Regex, subject: &Regex, owner: &str) -> Vec<Found> {
    let mut out = Vec::new();
    for found in call.find_iter(text) {
        let line_start = text[..found.start()].rfind('\n').map_or(0, |n| n + 1);
        if text[line_start..found.start()].contains("//") {
            continue;
        }
        let Some((parts, _)) = lex::arguments(text, found.end() - 1) else { continue };
        let [(_, on), (_, field), (at, value)] = parts.as_slice() else { continue };
        let value = &innermost(value, call);
        // An empty document is what an absent field is read as, no default.
        let empty =
            matches!(*value, "json::object()" | "json::array()" | "json()" | "json::object");
        if empty || !field.starts_with('"') || !subject.is_match(on) {
            continue;
        }
        let value = tree::flat(value);
        let (value, how) = request_value(&value);
        let target = assigned_field(&text[line_start..found.start()]);
        let knob = format!("{owner}.{}", lex::unquote(field));
        out.push(Found::new(knob, value, *at).with(how).named(target));
    }
    out
}

/// What is left where a field that is unset is looked for under other names in turn.
fn innermost<'a>(value: &'a str, call: &Regex) -> &'a str {
    let mut value = value;
    while let Some(found) = call.find(value).filter(|found| found.start() == 0) {
        let last = lex::arguments(value, found.end() - 1)
            .filter(|(parts, end)| parts.len() == 3 && *end == value.len())
            .and_then(|(parts, _)| parts.last().map(|(_, last)| *last));
        match last {
            Some(last) if !last.is_empty() => value = last,
            _ => break,
        }
    }
    value
}

/// A literal stays; what names another place inherits from it. A cast says nothing.
fn request_value(value: &str) -> (String, How) {
    let cast =
        value.strip_prefix('(').and_then(|rest| rest.split_once(')')).filter(|(kind, rest)| {
            let kind = kind.trim_end_matches("_t");
            let plain =
                matches!(kind, "int" | "size" | "float" | "double" | "bool" | "int32" | "uint32");
            plain && !rest.is_empty()
        });
    let value = cast.map_or(value, |(_, rest)| rest.trim_start());
    let inner = value.strip_prefix("std::string(").and_then(|v| v.strip_suffix(')'));
    let inner = inner.unwrap_or(value);
    if inner.is_empty() {
        return ("\"\"".to_owned(), How::Literal);
    }
    let tokens: Vec<_> = lex::tokens(inner, 0).collect();
    let constant = |t: &lex::Token<'_>| {
        t.text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    };
    let own = tokens.iter().all(|t| match t.kind {
        Kind::Word => {
            matches!(
                t.text,
                "true"
                    | "false"
                    | "nullptr"
                    | "json"
                    | "array"
                    | "object"
                    | "std"
                    | "vector"
                    | "string"
            ) || constant(t)
        }
        _ => true,
    });
    if own {
        (inner.to_owned(), How::Literal)
    } else {
        ("inherit".to_owned(), How::Inherits(value.to_owned()))
    }
}

/// The field that the line assigns to, before an `=`.
fn assigned_field(line: &str) -> Option<String> {
    let left = line.trim_end().strip_suffix('=')?.trim_end();
    let name = left.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

/// `#define NAME value`, `constexpr`, `const` and `static const` of a name.
pub(crate) fn constants(text: &str, name: &Regex) -> Vec<Found> {
    let mut out = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim_start();
        let code = bare.split("//").next().unwrap_or_default();
        let declared = if let Some(rest) =
            bare.strip_prefix("#define ").or(bare.strip_prefix("#    define "))
        {
            let rest = rest.split("//").next().unwrap_or_default().trim();
            let end = rest.find([' ', '\t']).unwrap_or(rest.len());
            Some((&rest[..end], rest[end..].trim()))
        } else if ["constexpr ", "const ", "static "].iter().any(|k| code.starts_with(k)) {
            code.split_once('=').map(|(left, right)| {
                let left = left.trim_end().trim_end_matches("[]");
                (lex::last_word(left), right.trim().trim_end_matches(';').trim())
            })
        } else {
            None
        };
        if let Some((found, value)) = declared.filter(|d| name.is_match(d.0) && !d.1.is_empty()) {
            out.push(Found::new(found, tree::flat(value), start));
        }
    }
    out
}

/// `if (x < 1) { x = y; }`: what is unset gets a value. Also `if (x.empty())`.
pub(crate) fn resolved(text: &str, variable: &Regex) -> Vec<Found> {
    let mut out = Vec::new();
    let Ok(head) = Regex::new(r"\bif \(") else { return out };
    for found in head.find_iter(text) {
        let open = found.end() - 1;
        let Some(end) = lex::close(text, open, '(', None) else { continue };
        let condition = tree::flat(&text[open + 1..end - 1]);
        let name: String = condition
            .chars()
            .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
            .collect();
        let name = name.strip_suffix(".empty").unwrap_or(&name).to_owned();
        if !variable.is_match(&name) {
            continue;
        }
        let tested = condition.get(name.len()..).unwrap_or_default().trim_start();
        let tests_unset = ["<", "<=", "==", ".empty()"].iter().any(|t| tested.starts_with(t))
            && !tested.contains("&&")
            && !tested.contains("||");
        let rest = text[end..].trim_start();
        if !tests_unset || !rest.starts_with('{') {
            continue;
        }
        let body_at = text.len() - rest.len();
        let Some(body_end) = lex::close(text, body_at, '{', None) else { continue };
        let body = &text[body_at + 1..body_end - 1];
        for statement in body.split(';') {
            let flat = tree::flat(statement);
            if let Some(value) = flat
                .strip_prefix(&name)
                .and_then(|v| v.trim_start().strip_prefix('='))
                .filter(|v| !v.starts_with('='))
            {
                let field = name.rsplit('.').next().unwrap_or(&name).to_owned();
                let condition = condition.replacen(&name, &field, 1);
                out.push(
                    Found::new(field, format!("[{condition}] {}", value.trim()), body_at)
                        .with(How::Resolved),
                );
            }
        }
    }
    out
}

/// `if (ex == PROGRAM) { params.x = y; }`: a program's own default in shared code.
pub(crate) fn overrides(
    text: &str,
    condition: &Regex,
    variable: &Regex,
    owner: &str,
) -> Vec<Found> {
    let mut out = Vec::new();
    for found in condition.captures_iter(text) {
        let (Some(whole), Some(who)) = (found.get(0), found.name("who")) else { continue };
        let Some(at) = text[whole.start()..].find('{').map(|n| n + whole.start()) else { continue };
        let Some(end) = lex::close(text, at, '{', None) else { continue };
        let all: Vec<_> =
            lex::tokens(&text[..end - 1], at + 1).filter(|t| t.kind != Kind::Comment).collect();
        let mut depth = 0i32;
        let mut statement: Option<usize> = Some(0);
        for (i, token) in all.iter().enumerate() {
            match token.text {
                "{" | "(" => depth += 1,
                "}" | ")" => depth -= 1,
                _ => {}
            }
            if depth == 0 && (token.is(";") || token.is("}")) {
                if let Some(from) = statement
                    && let Some(found) =
                        override_of(text, &all[from..i], variable, owner, who.as_str())
                {
                    out.push(found);
                }
                statement = Some(i + 1);
            }
        }
    }
    out
}

fn override_of(
    text: &str,
    tokens: &[lex::Token<'_>],
    variable: &Regex,
    owner: &str,
    who: &str,
) -> Option<Found> {
    let equals = tokens.iter().position(|t| t.is("="))?;
    if tokens.get(equals + 1)?.is("=") || equals == 0 {
        return None;
    }
    let left = tree::flat(&text[tokens[0].start..tokens[equals - 1].end()]);
    let found = variable.captures(&left)?;
    let field = found.get(1)?.as_str();
    let value = tree::flat(&text[tokens[equals].end()..tokens.last()?.end()]);
    Some(Found::new(
        format!("{owner}.{field}@{}", who.to_lowercase()),
        guarded(&[], &value),
        tokens[0].start,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(found: &[Found]) -> Vec<(&str, &str)> {
        found.iter().map(|f| (f.knob.as_str(), f.value.as_str())).collect()
    }

    #[test]
    fn reads_requests_and_resolved_values() {
        let text = r#"
            p.sampling.rate = json_value(data, "rate", defaults.rate);
            // p.old = json_value(data, "old", 1);
            f(json_value(body, "name", std::string(DEFAULT_NAME)), json_value(msg, "role", 1));
            g(json_value(body, "list", json_value(body, "all", std::vector<std::string>())));
            h(json_value(body, "most", (int) MOST));
            if (sparams.threads < 1) { /* x */ sparams.threads = max(a, 2); }
        "#;
        let call = Regex::new(r"\bjson_value\(").unwrap();
        let found = requests(text, &call, &Regex::new("^(data|body)$").unwrap(), "request");
        assert_eq!(
            told(&found),
            [
                ("request.rate", "inherit"),
                ("request.name", "DEFAULT_NAME"),
                ("request.list", "std::vector<std::string>()"),
                ("request.all", "std::vector<std::string>()"),
                ("request.most", "MOST")
            ]
        );
        assert_eq!(found[0].names, ["rate"]);
        let found = resolved(text, &Regex::new("^s?params").unwrap());
        assert_eq!(told(&found), [("threads", "[threads < 1] max(a, 2)")]);
    }

    #[test]
    fn reads_constants_and_overrides() {
        let text = "#define DEFAULT_NAME \"x\" // y\nstatic const int default_n = 0x10;\nif (ex == EX_SERVER) { params.n = 4; if (a) { params.m = 1; } }";
        let found = constants(text, &Regex::new("(?i)default").unwrap());
        assert_eq!(told(&found), [("DEFAULT_NAME", "\"x\""), ("default_n", "0x10")]);
        let found = overrides(
            text,
            &Regex::new(r"\bif \(ex == EX_(?P<who>\w+)\)").unwrap(),
            &Regex::new(r"^params\.(?:\w+\.)*(\w+)$").unwrap(),
            "params",
        );
        assert_eq!(told(&found), [("params.n@server", "4")]);
    }
}
