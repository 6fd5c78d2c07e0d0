//! Go: environment variables and what they default to.

use std::collections::BTreeMap;

use regex::Regex;

use super::Found;
use super::go_options::zero_value;
use crate::ledger::entry::How;
use crate::ledger::{cut, lex, tree};

/// The environment variables of a file. `call` finds a reader of one: its group
/// `reader` is the function, `env` the variable.
pub(crate) fn variables(text: &str, call: &Regex) -> Vec<Found> {
    let mut out: Vec<Found> = Vec::new();
    let mut add = |found: Found| {
        if !out.iter().any(|f| f.knob == found.knob) {
            out.push(found);
        }
    };
    let (funcs, groups) = (cut::go(text, "func ", None), cut::go(text, "var ", None));
    // `X = Uint("ENV", 4)` among the variables of the package.
    for (start, region) in &groups {
        for line in Lines::of(region, *start) {
            if let Some(found) = declared(text, line.1, line.0, call) {
                add(found);
            }
        }
    }
    // A function of its own for a variable.
    for (start, region) in &funcs {
        if let Some(found) = function(region, *start, call) {
            add(found);
        }
    }
    // Package variables that a loader sets: a table tells which is which.
    for (env, variable) in shown(text) {
        if let Some(found) = loaded(text, &env, &variable, &funcs, &groups) {
            add(found);
        }
    }
    out
}

struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str, at: usize) -> Self {
        Lines { text, at }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        if self.text.is_empty() {
            return None;
        }
        let end = self.text.find('\n').map_or(self.text.len(), |n| n + 1);
        let (line, rest) = self.text.split_at(end);
        let at = self.at;
        self.text = rest;
        self.at += end;
        Some((at, line))
    }
}

/// `Name = Reader("ENV", default)`.
fn declared(text: &str, line: &str, at: usize, call: &Regex) -> Option<Found> {
    let (left, right) = line.split_once('=')?;
    let left = left.trim().trim_start_matches("var ").trim();
    let name = left.split_whitespace().next()?;
    if name.starts_with("//") {
        return None;
    }
    let found = call.captures(right)?;
    let (reader, env) = (found.name("reader")?.as_str(), found.name("env")?.as_str());
    let open = right.find('(')?;
    let (parts, _) = lex::arguments(right, open)?;
    let (value, how) = match (parts.get(1), reader) {
        (Some((_, value)), _) => (tree::flat(value), super::how(value)),
        (None, "Bool") => ("false".to_owned(), How::Zero),
        (None, "String" | "getString") => ("\"\"".to_owned(), How::Zero),
        (None, _) => {
            // The caller says it: the file's own table shows which.
            let asked = format!("{name}(");
            let (at, _) = text.match_indices(&asked).find(|(at, _)| {
                !text[at + asked.len()..].starts_with(')') && !text[..*at].ends_with("func ")
            })?;
            let (parts, _) = lex::arguments(text, at + name.len())?;
            (tree::flat(parts.first()?.1), How::Literal)
        }
    };
    Some(Found::new(env, value, at).with(how).named([name.to_owned()]))
}

/// `func Name() … { x = default; if s := Var("ENV"); s != "" { … } … }`.
fn function(region: &str, start: usize, call: &Regex) -> Option<Found> {
    let mut envs: Vec<&str> =
        call.captures_iter(region).filter_map(|c| c.name("env").map(|m| m.as_str())).collect();
    envs.dedup();
    let [env] = envs.as_slice() else { return None };
    let name: String =
        region.strip_prefix("func ")?.chars().take_while(|c| c.is_alphanumeric()).collect();
    let mut values = Vec::new();
    let mut at = start;
    let language = tree_sitter_go::LANGUAGE.into();
    let parsed = tree::parse(&language, region)?;
    for node in tree::all(parsed.root_node()) {
        let reads = |n: tree_sitter::Node<'_>| {
            let mut up = Some(n);
            while let Some(n) = up {
                if n.kind() == "if_statement" && call.is_match(tree::text(n, region)) {
                    return true;
                }
                up = n.parent();
            }
            call.is_match(tree::text(n, region))
        };
        let value = match node.kind() {
            // The first plain value, before the variable is looked at.
            "assignment_statement" | "short_var_declaration"
                if values.is_empty() && !reads(node) && one_name(node) =>
            {
                node.child_by_field_name("right").filter(|r| {
                    !tree::text(*r, region).contains("append(")
                        && !tree::text(*r, region).contains("err")
                })
            }
            "return_statement" if values.is_empty() && !reads(node) => node.named_child(0),
            // What is always in the list.
            "interpreted_string_literal" if !reads(node) => {
                let listed = node.parent().and_then(|p| p.parent());
                let call = node.parent().and_then(|p| p.parent()).is_some_and(|p| {
                    p.child_by_field_name("function")
                        .is_some_and(|f| matches!(tree::text(f, region), "append" | "fmt.Sprintf"))
                });
                (call || listed.is_some_and(|p| p.kind() == "literal_value")).then_some(node)
            }
            _ => None,
        };
        if let Some(value) = value {
            if values.is_empty() {
                at = start + value.start_byte();
            }
            values.push(tree::flat(tree::text(value, region)));
        }
    }
    if values.is_empty() {
        return None;
    }
    // The variable's own result says nothing.
    let value = if values.len() > 1 {
        values.iter().map(|v| v.trim_matches('"')).collect::<Vec<_>>().join(",")
    } else {
        values.remove(0)
    };
    let how = super::how(&value);
    Some(Found::new(*env, value, at).with(how).named([name]))
}

/// Whether one name gets a value, rather than a result and an error of a call.
fn one_name(node: tree_sitter::Node<'_>) -> bool {
    node.child_by_field_name("left").is_none_or(|left| left.named_child_count() == 1)
}

/// The table that shows each variable's value: `"ENV": {"ENV", Name, …}` or
/// `"ENV": fmt.Sprintf("%v", Name)`.
fn shown(text: &str) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    for line in text.lines() {
        let line = line.trim();
        let Some(rest) = line.strip_prefix('"') else { continue };
        let Some((env, rest)) = rest.split_once("\":") else { continue };
        let name = rest.split([',', '(', ')', '{', ' ']).map(str::trim).find(|w| {
            w.starts_with(|c: char| c.is_ascii_uppercase())
                && w.chars().all(|c| c.is_alphanumeric())
        });
        if let Some(name) = name {
            out.insert(env.to_owned(), name.to_owned());
        }
    }
    out
}

/// The value that a package variable has where its environment variable is unset.
fn loaded(
    text: &str,
    env: &str,
    variable: &str,
    funcs: &[(usize, &str)],
    groups: &[(usize, &str)],
) -> Option<Found> {
    let found = |value: String, at: usize, how: How| {
        Some(Found::new(env, value, at).with(how).named([variable.to_owned()]))
    };
    let init = funcs.iter().find(|(_, r)| r.starts_with("func init()"));
    if let Some((start, region)) = init {
        for (at, line) in Lines::of(region, *start) {
            let assigned =
                line.trim().strip_prefix(variable).and_then(|r| r.trim_start().strip_prefix("= "));
            if let Some(value) = assigned {
                let value = tree::flat(value);
                let how = super::how(&value);
                return found(value, at, how);
            }
        }
    }
    // A variable that the loader puts together is not told by its declaration.
    if text.contains(&format!("{variable} = append({variable}")) {
        return None;
    }
    for (start, region) in groups {
        for (at, line) in Lines::of(region, *start) {
            let bare = line.trim().trim_start_matches("var ");
            let Some(rest) = bare.strip_prefix(variable).filter(|r| r.starts_with(' ')) else {
                continue;
            };
            return match rest.split_once('=') {
                Some((_, value)) => found(tree::flat(value), at, How::Literal),
                None => found(
                    zero_value(rest.trim().split(" //").next()?.trim()).to_owned(),
                    at,
                    How::Zero,
                ),
            };
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call() -> Regex {
        Regex::new(r#"\b(?P<reader>Bool|BoolWithDefault|Uint|String|Var|clean)\("(?P<env>[A-Z][A-Z0-9_]+)""#).unwrap()
    }

    fn told(text: &str) -> Vec<(String, String)> {
        variables(text, &call()).into_iter().map(|f| (f.knob, f.value)).collect()
    }

    #[test]
    fn reads_readers_functions_and_lists() {
        let text = "package e\n\nvar (\n\t// A is.\n\tA = Bool(\"X_A\")\n\tB = Uint(\"X_B\", 4)\n\tC = BoolWithDefault(\"X_C\")\n)\n\nfunc Alive() (alive time.Duration) {\n\talive = 5 * time.Minute\n\tif s := Var(\"X_ALIVE\"); s != \"\" {\n\t\talive = parse(s)\n\t}\n\treturn alive\n}\n\nfunc Origins() (o []string) {\n\tif s := Var(\"X_O\"); s != \"\" {\n\t\to = strings.Split(s, \",\")\n\t}\n\tfor _, h := range []string{\"localhost\"} {\n\t\to = append(o, fmt.Sprintf(\"http://%s\", h))\n\t}\n\to = append(o,\n\t\t\"app://*\",\n\t)\n\treturn o\n}\n\nfunc AsMap() {\n\tx := {\n\t\t\"X_C\": {\"X_C\", C(true), \"\"},\n\t}\n}\n";
        let want = [
            ("X_A", "false"),
            ("X_B", "4"),
            ("X_C", "true"),
            ("X_ALIVE", "5 * time.Minute"),
            ("X_O", "localhost,http://%s,app://*"),
        ];
        assert_eq!(told(text), want.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }

    #[test]
    fn reads_a_loader_over_its_table() {
        let text = "package e\n\nvar (\n\tPar int\n\tDebug bool\n)\n\nfunc AsMap() map[string]string {\n\treturn map[string]string{\n\t\t\"X_PAR\": fmt.Sprintf(\"%v\", Par),\n\t\t\"X_DEBUG\": fmt.Sprintf(\"%v\", Debug),\n\t}\n}\n\nfunc init() {\n\tPar = 1\n}\n";
        assert_eq!(
            told(text),
            [("X_DEBUG".to_owned(), "false".to_owned()), ("X_PAR".to_owned(), "1".to_owned())]
        );
    }
}
