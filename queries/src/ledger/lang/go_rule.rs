//! Go: rules in code, told as conditions and results.

use std::collections::{BTreeMap, HashMap};

use regex::Regex;
use tree_sitter::Node;

use super::{Found, Names, guarded};
use crate::ledger::entry::How;
use crate::ledger::{cut, lex, tree};

/// What a rule's results are.
enum Wanted<'r> {
    Returns,
    Assigned(&'r Regex),
}

/// One result, and what must hold for it.
pub(crate) struct Outcome {
    pub target: String,
    pub value: String,
    pub guards: Vec<String>,
    pub at: usize,
}

/// The results that functions return, one knob a function.
pub(crate) fn returns(text: &str, function: &Regex) -> Vec<Found> {
    let mut out = Vec::new();
    for (start, region) in cut::go(text, "func ", Some(function)) {
        let around = names(region);
        let name = declared(region);
        let outcomes = outcomes(region, &Wanted::Returns);
        let told: Vec<_> = outcomes.iter().map(|o| guarded(&o.guards, &o.value)).collect();
        if !told.is_empty() {
            let found = Found::new(name, told.join(" ; "), start);
            out.push(found.with(How::Rule).inside(&around));
        }
    }
    out
}

/// What functions assign to variables of a name, one knob a variable.
pub(crate) fn assigned(text: &str, function: &Regex, variable: &Regex) -> Vec<Found> {
    let mut out = Vec::new();
    for (start, region) in cut::go(text, "func ", Some(function)) {
        let around = names(region);
        for o in clamped(outcomes(region, &Wanted::Assigned(variable))) {
            let field = o.target.rsplit('.').next().unwrap_or(&o.target).to_owned();
            let value = guarded(&o.guards, &o.value);
            let found = Found::new(field, value, start + o.at);
            out.push(found.with(How::Rule).inside(&around));
        }
    }
    out
}

/// The names in a declaration, with what they are declared as.
pub(crate) fn names(region: &str) -> Names {
    let words = lex::tokens(region, 0).filter(|token| token.kind == lex::Kind::Word);
    let mut all: BTreeMap<String, String> =
        words.map(|token| (token.text.to_owned(), String::new())).collect();
    for line in region.lines() {
        let Some((left, right)) = line.split_once(":=") else { continue };
        for name in left.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
            if let Some(known) = all.get_mut(name).filter(|known| known.is_empty()) {
                *known = tree::flat(right);
            }
        }
    }
    Names::new(all)
}

/// `n := a; if n < 1 { n = 1 }` is `n := max(a, 1)`, and is told so.
fn clamped(outcomes: Vec<Outcome>) -> Vec<Outcome> {
    let mut out: Vec<Outcome> = Vec::with_capacity(outcomes.len());
    for next in outcomes {
        let (below, above) = (
            format!("{} < {}", next.target, next.value),
            format!("{} > {}", next.target, next.value),
        );
        let function = match next.guards.as_slice() {
            [only] if *only == below => "max",
            [only] if *only == above => "min",
            _ => "",
        };
        match out.last_mut() {
            Some(last)
                if !function.is_empty() && last.target == next.target && last.guards.is_empty() =>
            {
                last.value = format!("{function}({}, {})", last.value, next.value);
            }
            _ => out.push(next),
        }
    }
    out
}

/// What the parameters of a function are given, where every call in the file gives the same.
pub(crate) fn given(text: &str, region: &str) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    let name = declared(region);
    let Some(head) = region.find(&format!("{name}(")) else { return out };
    let Some((parameters, _)) = lex::arguments(region, head + name.len()) else { return out };
    let mut seen: Vec<Option<String>> = vec![None; parameters.len()];
    for (at, _) in text.match_indices(&format!("{name}(")) {
        let before = text[..at].trim_end();
        let part_of_a_name = text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if part_of_a_name || before.ends_with("func") || before.ends_with(')') {
            continue;
        }
        let Some((mut arguments, _)) = lex::arguments(text, at + name.len()) else { return out };
        // A comma may end the last line.
        arguments.retain(|(_, argument)| !argument.is_empty());
        if arguments.len() != parameters.len() {
            return out;
        }
        for (slot, (_, argument)) in seen.iter_mut().zip(&arguments) {
            let argument = tree::flat(argument);
            match slot {
                Some(known) if *known != argument => *known = String::new(),
                Some(_) => {}
                None => *slot = Some(argument),
            }
        }
    }
    for ((_, parameter), argument) in parameters.iter().zip(seen) {
        let parameter = parameter.split_whitespace().next().unwrap_or_default();
        let Some(argument) = argument.filter(|a| !a.is_empty() && a != parameter) else { continue };
        out.insert(parameter.to_owned(), argument);
    }
    out
}

/// Every call of `append` with flags, by the conditions around it.
///
/// `given` says what the function's parameters are given.
pub(crate) fn calls(
    region: &str,
    given: &BTreeMap<String, String>,
) -> Vec<(Vec<String>, Vec<String>, usize)> {
    let mut out = Vec::new();
    let language = tree_sitter_go::LANGUAGE.into();
    let Some(parsed) = tree::parse(&language, region) else { return out };
    let mut known = locals(parsed.root_node(), region);
    for (parameter, argument) in given {
        known.entry(parameter.clone()).or_insert_with(|| argument.clone());
    }
    for node in tree::all(parsed.root_node()) {
        let listed = match node.kind() {
            "call_expression"
                if node
                    .child_by_field_name("function")
                    .is_some_and(|f| tree::text(f, region) == "append") =>
            {
                node.child_by_field_name("arguments")
            }
            "composite_literal"
                if node
                    .child_by_field_name("type")
                    .is_some_and(|t| tree::text(t, region) == "[]string") =>
            {
                node.child_by_field_name("body")
            }
            _ => None,
        };
        let Some(list) = listed else { continue };
        let parts: Vec<String> = tree::children(list)
            .iter()
            .filter(|n| n.kind() != "comment")
            .map(|n| tree::flat(tree::text(*n, region)))
            .collect();
        if parts.iter().any(|p| p.starts_with("\"-")) {
            let mut guards = left_before(node, region, parts.first().map_or("", String::as_str));
            guards.extend(guards_of(node, region, &known));
            out.push((parts, guards, node.start_byte()));
        }
    }
    out
}

/// What must not hold for a list to be appended to: before it, the function would have
/// returned the list as it was.
fn left_before(node: Node<'_>, region: &str, list: &str) -> Vec<String> {
    let mut out = Vec::new();
    let ending = format!("return {list} }}");
    let mut at = node;
    while let Some(up) = at.parent() {
        for before in tree::children(up).into_iter().take_while(|n| n.end_byte() <= at.start_byte())
        {
            let part = |name: &str| before.child_by_field_name(name);
            let (Some(condition), Some(then), None) =
                (part("condition"), part("consequence"), part("alternative"))
            else {
                continue;
            };
            if before.kind() == "if_statement"
                && tree::flat(tree::text(then, region)).ends_with(&ending)
            {
                out.push(negated(&tree::flat(tree::text(condition, region))));
            }
        }
        at = up;
    }
    out
}

/// A condition's opposite, in the plainest words.
fn negated(condition: &str) -> String {
    let simple = !condition.contains("&&") && !condition.contains("||");
    for (one, other) in [(" == ", " != "), (" != ", " == "), (" <= ", " > "), (" >= ", " < ")] {
        if let (Some((a, b)), true) = (condition.split_once(one), simple) {
            return format!("{a}{other}{b}");
        }
    }
    match condition.strip_prefix('!') {
        Some(rest) if simple => rest.to_owned(),
        _ => format!("!({condition})"),
    }
}

fn declared(region: &str) -> String {
    let rest = region.strip_prefix("func ").unwrap_or(region);
    let rest =
        if rest.starts_with('(') { rest.split_once(") ").map_or(rest, |r| r.1) } else { rest };
    rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

fn outcomes(region: &str, wanted: &Wanted<'_>) -> Vec<Outcome> {
    let mut out = Vec::new();
    let language = tree_sitter_go::LANGUAGE.into();
    let Some(parsed) = tree::parse(&language, region) else { return out };
    let known = locals(parsed.root_node(), region);
    for node in tree::all(parsed.root_node()) {
        let at = node.start_byte();
        match (wanted, node.kind()) {
            (Wanted::Returns, "return_statement") if !in_closure(node) => {
                let value = node
                    .named_child(0)
                    .map_or(String::new(), |n| tree::flat(tree::text(n, region)));
                out.push(Outcome {
                    target: String::new(),
                    value,
                    guards: guards_of(node, region, &known),
                    at,
                });
            }
            (Wanted::Assigned(variable), "assignment_statement" | "short_var_declaration") => {
                let (Some(left), Some(right)) =
                    (node.child_by_field_name("left"), node.child_by_field_name("right"))
                else {
                    continue;
                };
                let target = tree::flat(tree::text(left, region));
                if variable.is_match(&target) {
                    let mut value = tree::flat(tree::text(right, region));
                    // `a *= b` is `a = a * b`.
                    let operator = node.child_by_field_name("operator");
                    let operator = operator.map_or("", |o| tree::text(o, region));
                    if let Some(op) =
                        operator.strip_suffix('=').filter(|op| !matches!(*op, "" | ":"))
                    {
                        value = format!("{target} {op} {value}");
                    }
                    out.push(Outcome {
                        target,
                        value,
                        guards: guards_of(node, region, &known),
                        at,
                    });
                }
            }
            _ => {}
        }
    }
    out
}

fn in_closure(node: Node<'_>) -> bool {
    let mut up = node.parent();
    while let Some(n) = up {
        match n.kind() {
            "func_literal" => return true,
            "function_declaration" | "method_declaration" => return false,
            _ => up = n.parent(),
        }
    }
    false
}

/// The names that a function declares, with what they are.
fn locals(root: Node<'_>, region: &str) -> HashMap<String, String> {
    let mut out = HashMap::new();
    for node in tree::all(root) {
        if node.kind() != "short_var_declaration" {
            continue;
        }
        let side = |name| node.child_by_field_name(name).filter(|n| n.named_child_count() == 1);
        if let (Some(left), Some(right)) = (side("left"), side("right")) {
            let name = tree::text(left, region).to_owned();
            out.insert(name, tree::flat(tree::text(right, region)));
        }
    }
    // What is assigned again is not what it was declared as.
    for node in tree::all(root) {
        if node.kind() == "assignment_statement"
            && let Some(left) = node.child_by_field_name("left")
        {
            out.remove(tree::text(left, region).trim());
        }
    }
    out
}

/// The conditions nearest to where a node stands, outermost first. Farther ones are how
/// the program got there rather than what it decides; loops decide nothing.
fn guards_of(node: Node<'_>, region: &str, known: &HashMap<String, String>) -> Vec<String> {
    let mut out = Vec::new();
    let mut node = node;
    // A local name stands for what it was declared as.
    let spelled = |condition: String| {
        let name = condition.trim_start_matches('!').to_owned();
        match known.get(&name) {
            Some(is) if name.len() < condition.len() => format!("!({is})"),
            Some(is) => is.clone(),
            None => condition,
        }
    };
    while let Some(up) = node.parent() {
        match up.kind() {
            "if_statement" => {
                let condition = up
                    .child_by_field_name("condition")
                    .map(|c| spelled(tree::flat(tree::text(c, region))));
                if let Some(condition) = condition {
                    if up.child_by_field_name("consequence") == Some(node) {
                        out.push(condition);
                    } else if up.child_by_field_name("alternative") == Some(node) {
                        out.push(format!("!({condition})"));
                    }
                }
            }
            "expression_case" => {
                let value = up.child_by_field_name("value").map_or("", |v| tree::text(v, region));
                let on = up
                    .parent()
                    .and_then(|s| s.child_by_field_name("value"))
                    .map_or("", |v| tree::text(v, region));
                let case = tree::flat(value);
                out.push(if on.is_empty() { case } else { format!("{} = {case}", tree::flat(on)) });
            }
            "default_case" => out.push("else".to_owned()),
            _ => {}
        }
        node = up;
    }
    out.truncate(2);
    out.reverse();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_was_returned_before_is_not_appended_to() {
        let text = "func appendArgs(params []string, o O) ([]string, error) {\n\tif o.GPU == nil {\n\t\treturn params\n\t}\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\tif !o.On {\n\t\tlog()\n\t\treturn params\n\t}\n\treturn append(params, \"--gpu\", o.GPU)\n}\n";
        let found = calls(text, &BTreeMap::new());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].1, ["o.GPU != nil", "o.On"]);
        assert_eq!(negated("a && !b"), "!(a && !b)");
    }

    #[test]
    fn a_parameter_stands_for_what_it_is_given() {
        let text = "func start(own bool, path string) {\n\tif own {\n\t\tp = append(p, \"--own\")\n\t}\n}\n\nfunc load() {\n\tstart(\n\t\ttext != nil,\n\t\tpath,\n\t)\n}\n";
        let region = &text[..text.find("\n}\n").unwrap() + 3];
        let known = given(text, region);
        assert_eq!(known.get("own").map(String::as_str), Some("text != nil"));
        assert_eq!(calls(region, &known)[0].1, ["text != nil"]);
        let twice = format!("{text}\nfunc other() {{\n\tstart(false, path)\n}}\n");
        assert!(given(&twice, region).is_empty());
    }

    #[test]
    fn tells_conditions_and_results() {
        let text = "package x\n\nfunc (f F) Fast(gpus []G) bool {\n\tfor _, g := range gpus {\n\t\told := g.Major < 7\n\t\tif old {\n\t\t\treturn false\n\t\t}\n\t}\n\treturn has([]string{\n\t\t\"a\", \"b\",\n\t}, f.Arch)\n}\n\nfunc set(o *O) {\n\tswitch {\n\tcase big:\n\t\to.Ctx = 8\n\tdefault:\n\t\to.Ctx = 4\n\t}\n}\n";
        let found = returns(text, &Regex::new("^Fast$").unwrap());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].knob, "Fast");
        assert_eq!(found[0].value, "[g.Major < 7] false ; has([]string{ \"a\", \"b\", }, f.Arch)");
        let found = assigned(text, &Regex::new(".").unwrap(), &Regex::new(r"^\w+\.Ctx$").unwrap());
        let told: Vec<_> = found.iter().map(|f| (f.knob.as_str(), f.value.as_str())).collect();
        assert_eq!(told, [("Ctx", "[big] 8"), ("Ctx", "[else] 4")]);
        let text = "package x\n\nfunc set(o *O) {\n\to.Ctx = n()\n\tif o.Ctx < 4 {\n\t\to.Ctx = 4\n\t}\n}\n";
        let found = assigned(text, &Regex::new(".").unwrap(), &Regex::new(r"^\w+\.Ctx$").unwrap());
        let told: Vec<_> = found.iter().map(|f| f.value.as_str()).collect();
        assert_eq!(told, ["max(n(), 4)"]);
        let text = "package x\n\nfunc set(o *O) {\n\to.Ctx *= n\n\to.Ctx = o.Ctx * n\n}\n";
        let found = assigned(text, &Regex::new(".").unwrap(), &Regex::new(r"^\w+\.Ctx$").unwrap());
        let told: Vec<_> = found.iter().map(|f| f.value.as_str()).collect();
        assert_eq!(told, ["o.Ctx * n", "o.Ctx * n"]);
    }
}
