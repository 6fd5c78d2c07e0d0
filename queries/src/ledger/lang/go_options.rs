//! Go: the struct literal that a function returns, over the tags of its type.

use std::collections::HashMap;

use tree_sitter::Node;

use super::Found;
use crate::ledger::entry::How;
use crate::ledger::{cut, tree};

/// One field of a struct type.
struct Field {
    name: String,
    tag: String,
    kind: String,
    embedded: bool,
}

/// The options that a function's struct literal sets, and those that it leaves out.
pub(crate) fn options(text: &str, function: &regex::Regex) -> Vec<Found> {
    let mut out = Vec::new();
    let language = tree_sitter_go::LANGUAGE.into();
    for (start, region) in cut::go(text, "func ", Some(function)) {
        let Some(parsed) = tree::parse(&language, region) else { continue };
        let literal = tree::all(parsed.root_node()).into_iter().find(|n| {
            n.kind() == "composite_literal"
                && n.parent()
                    .and_then(|p| p.parent())
                    .is_some_and(|p| p.kind() == "return_statement")
        });
        if let Some(literal) = literal {
            let mut types = HashMap::new();
            read_literal(literal, region, start, text, &mut types, &mut out, 0);
        }
    }
    out
}

fn read_literal(
    node: Node<'_>,
    region: &str,
    start: usize,
    text: &str,
    types: &mut HashMap<String, Vec<Field>>,
    out: &mut Vec<Found>,
    depth: u8,
) {
    let Some(kind) = node.child_by_field_name("type") else { return };
    let kind = tree::text(kind, region).to_owned();
    if depth > 4 {
        return;
    }
    if !types.contains_key(&kind) {
        types.insert(kind.clone(), struct_fields(text, &kind));
    }
    let mut seen: Vec<String> = Vec::new();
    let Some(body) = node.child_by_field_name("body") else { return };
    for pair in tree::children(body).into_iter().filter(|n| n.kind() == "keyed_element") {
        let parts: Vec<_> =
            tree::children(pair).into_iter().filter(|n| n.kind() != "comment").collect();
        let [key, value] = parts.as_slice() else { continue };
        let name = tree::text(*key, region).to_owned();
        let inner = value.named_child(0).unwrap_or(*value);
        let embedded = types[&kind].iter().any(|f| f.name == name && f.embedded);
        seen.push(name.clone());
        if embedded && inner.kind() == "composite_literal" {
            read_literal(inner, region, start, text, types, out, depth + 1);
            continue;
        }
        let tag = types[&kind]
            .iter()
            .find(|f| f.name == name)
            .map_or_else(|| name.clone(), |f| f.tag.clone());
        out.push(
            Found::new(tag, tree::flat(tree::text(*value, region)), start + value.start_byte())
                .named([name]),
        );
    }
    let left_out: Vec<_> = types[&kind]
        .iter()
        .filter(|f| !seen.contains(&f.name))
        .map(|f| (f.name.clone(), f.tag.clone(), f.kind.clone(), f.embedded))
        .collect();
    for (name, tag, field_kind, embedded) in left_out {
        if embedded {
            if !types.contains_key(&field_kind) {
                types.insert(field_kind.clone(), struct_fields(text, &field_kind));
            }
            for field in &types[&field_kind] {
                out.push(zero(&field.name, &field.tag, &field.kind, start + node.start_byte()));
            }
        } else {
            out.push(zero(&name, &tag, &field_kind, start + node.start_byte()));
        }
    }
}

fn zero(name: &str, tag: &str, kind: &str, at: usize) -> Found {
    Found::new(tag, zero_value(kind), at).with(How::Zero).named([name.to_owned()])
}

/// What Go puts where nothing is said.
pub(crate) fn zero_value(kind: &str) -> &'static str {
    match kind {
        "bool" => "false",
        "string" => "\"\"",
        k if k.starts_with(['*', '['])
            || k.starts_with("map[")
            || matches!(k, "any" | "error")
            || k.starts_with("interface") =>
        {
            "nil"
        }
        k if k.contains("int") || k.starts_with("float") || k.ends_with("Duration") => "0",
        "TriState" => "0",
        _ => "zero value",
    }
}

/// The fields of a struct type of the same file.
fn struct_fields(text: &str, name: &str) -> Vec<Field> {
    let mut out = Vec::new();
    let Ok(pattern) = regex::Regex::new(&format!("^{}$", regex::escape(name))) else { return out };
    let language = tree_sitter_go::LANGUAGE.into();
    for (_, region) in cut::go(text, "type ", Some(&pattern)) {
        let Some(parsed) = tree::parse(&language, region) else { continue };
        for node in tree::all(parsed.root_node()) {
            if node.kind() != "field_declaration" {
                continue;
            }
            let kind =
                node.child_by_field_name("type").map_or("", |n| tree::text(n, region)).to_owned();
            let tag = node.child_by_field_name("tag").map_or("", |n| tree::text(n, region));
            let json =
                tag.split_once("json:\"").and_then(|(_, rest)| rest.split(['"', ',']).next());
            match node.child_by_field_name("name") {
                Some(name) => {
                    let name = tree::text(name, region).to_owned();
                    let tag =
                        json.filter(|t| !t.is_empty()).map_or_else(|| name.clone(), str::to_owned);
                    out.push(Field { name, tag, kind, embedded: false });
                }
                None => {
                    out.push(Field { name: kind.clone(), tag: kind.clone(), kind, embedded: true })
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_tags_embedded_structs_and_what_is_left_out() {
        let text = "package x\n\ntype Options struct {\n\tRunner\n\tTopK int `json:\"top_k,omitempty\"`\n\tStop []string `json:\"stop\"`\n}\n\ntype Runner struct {\n\tCtx int `json:\"ctx\"`\n\tMMap *bool `json:\"mmap\"`\n}\n\nfunc Default() Options {\n\treturn Options{\n\t\t// why\n\t\tTopK: 40,\n\t\tRunner: Runner{\n\t\t\tCtx: int(env.Ctx()), // tiers\n\t\t},\n\t}\n}\n";
        let found = options(text, &regex::Regex::new("^Default$").unwrap());
        let told: Vec<_> = found
            .iter()
            .map(|f| (f.knob.as_str(), f.value.as_str(), f.names[0].as_str()))
            .collect();
        assert_eq!(
            told,
            [
                ("top_k", "40", "TopK"),
                ("ctx", "int(env.Ctx())", "Ctx"),
                ("mmap", "nil", "MMap"),
                ("stop", "nil", "Stop")
            ]
        );
        assert_eq!(found[2].how, How::Zero);
    }
}
