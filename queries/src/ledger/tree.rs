//! Small helpers over tree-sitter.

use tree_sitter::{Language, Node, Parser, Tree};

/// Parses, or tells that the text is beyond the grammar.
pub(crate) fn parse(language: &Language, text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(language).ok()?;
    parser.parse(text, None)
}

/// A node's text.
pub(crate) fn text<'a>(node: Node<'_>, source: &'a str) -> &'a str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// A node's named children.
pub(crate) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// Every node under one, itself first, in the text's order. An own stack, so that
/// deep nesting in hostile text cannot exhaust the thread's.
pub(crate) fn all<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut out = Vec::new();
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        out.push(node);
        let mut below = children(node);
        below.reverse();
        stack.extend(below);
    }
    out
}

/// A text on one line, with comments dropped and single spaces.
pub(crate) fn flat(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut last_end = 0;
    for token in super::lex::tokens(text, 0) {
        if token.kind == super::lex::Kind::Comment {
            continue;
        }
        if !out.is_empty() && token.start > last_end {
            out.push(' ');
        }
        out.push_str(token.text);
        last_end = token.end();
    }
    out
}
