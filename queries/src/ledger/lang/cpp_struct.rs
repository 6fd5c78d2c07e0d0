//! C++: the member initialisers of a struct.

use tree_sitter::Node;

use super::{Found, guarded};
use crate::ledger::entry::How;
use crate::ledger::tree;

/// The fields of the first struct in `text`, with their defaults.
pub(crate) fn fields(text: &str, owner: &str) -> Vec<Found> {
    let mut out = Vec::new();
    let language = tree_sitter_cpp::LANGUAGE.into();
    let Some(parsed) = tree::parse(&language, text) else { return out };
    let body =
        tree::all(parsed.root_node()).into_iter().find(|n| n.kind() == "field_declaration_list");
    if let Some(body) = body {
        members(body, text, owner, &[], &mut out, 0);
    }
    out
}

/// The names of the fields of the first struct in `text`, in order: what a
/// positional initialiser counts through.
pub(crate) fn names(text: &str) -> Vec<String> {
    fields(text, "").into_iter().map(|f| f.knob.trim_start_matches('.').to_owned()).collect()
}

fn members(
    body: Node<'_>,
    text: &str,
    owner: &str,
    guards: &[String],
    out: &mut Vec<Found>,
    depth: u8,
) {
    if depth > 8 {
        return;
    }
    for child in tree::children(body) {
        match child.kind() {
            "field_declaration" => member(child, text, owner, guards, out, depth),
            "preproc_ifdef" | "preproc_if" | "preproc_else" | "preproc_elif" => {
                let mut inner = guards.to_vec();
                let name =
                    child.child_by_field_name("name").or(child.child_by_field_name("condition"));
                if let Some(name) = name {
                    inner.push(tree::flat(tree::text(name, text)));
                }
                members(child, text, owner, &inner, out, depth + 1);
            }
            _ => {}
        }
    }
}

fn member(
    node: Node<'_>,
    text: &str,
    owner: &str,
    guards: &[String],
    out: &mut Vec<Found>,
    depth: u8,
) {
    let Some(kind) = node.child_by_field_name("type") else { return };
    let nested = kind.child_by_field_name("body");
    let mut cursor = node.walk();
    let mut declared: Vec<(String, Node<'_>, Option<Node<'_>>, bool)> = Vec::new();
    if !cursor.goto_first_child() {
        return;
    }
    loop {
        let child = cursor.node();
        match cursor.field_name() {
            Some("declarator") => {
                if let Some(name) = field_name(child, text) {
                    declared.push((name, child, None, child.kind() == "pointer_declarator"));
                }
            }
            Some("default_value") => {
                if let Some(last) = declared.last_mut() {
                    last.2 = Some(child);
                }
            }
            _ => {}
        }
        if !cursor.goto_next_sibling() {
            break;
        }
    }
    for (name, at, value, pointer) in declared {
        let knob = format!("{owner}.{name}");
        if let (Some(body), None) = (nested, value) {
            members(body, text, &knob, guards, out, depth + 1);
            continue;
        }
        let found = match value {
            Some(value) => Found::new(
                knob,
                guarded(guards, &tree::flat(tree::text(value, text))),
                value.start_byte(),
            ),
            None => {
                let Some(implied) = implied(&tree::flat(tree::text(kind, text)), pointer) else {
                    continue;
                };
                Found::new(knob, guarded(guards, implied), at.start_byte()).with(How::Zero)
            }
        };
        out.push(found);
    }
}

/// What a member without an initialiser holds: empty for library classes, nothing
/// certain for plain types. Of other types nothing is said: they have their own.
fn implied(kind: &str, pointer: bool) -> Option<&'static str> {
    if pointer {
        return Some("uninitialised");
    }
    let bare = kind.trim_start_matches("const ").trim_start_matches("enum ");
    if matches!(bare, "std::string" | "string") {
        return Some("\"\"");
    }
    if ["std::vector", "std::map", "std::set", "std::unordered_", "std::array"]
        .iter()
        .any(|p| bare.starts_with(p))
    {
        return Some("{}");
    }
    let plain = [
        "bool", "int", "float", "double", "char", "size_t", "long", "short", "unsigned", "uint",
        "signed",
    ];
    (plain.iter().any(|p| bare.starts_with(p)) || bare.ends_with("_type"))
        .then_some("uninitialised")
}

fn field_name(node: Node<'_>, text: &str) -> Option<String> {
    let mut node = node;
    loop {
        match node.kind() {
            "field_identifier" | "identifier" => return Some(tree::text(node, text).to_owned()),
            "pointer_declarator"
            | "array_declarator"
            | "init_declarator"
            | "reference_declarator" => {
                node = node.child_by_field_name("declarator").or_else(|| node.named_child(0))?;
            }
            _ => return None,
        }
    }
}
