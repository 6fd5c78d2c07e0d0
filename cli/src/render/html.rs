//! HTML documents of their own: they load nothing, and no text gets into them unescaped.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::text::one_line;

const STYLE: &str = "
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.2rem; }
h2 { font-size: 1rem; margin: 1.6rem 0 .4rem; border-bottom: 1px solid #8884; }
h2 small { font-weight: normal; opacity: .7; }
p, pre { margin: .15rem 0; overflow-wrap: anywhere; white-space: pre-wrap; }
pre { font-size: .85rem; opacity: .85; }
.dim { opacity: .7; }
.plot { overflow-x: auto; } .plot svg { display: block; min-width: 34rem; }
.d1 { margin-left: 1rem; } .d2 { margin-left: 2rem; } .d3 { margin-left: 3rem; } .d4 { margin-left: 4rem; }
";

/// A text without markup.
pub fn escape(text: &str) -> String {
    html! { (text) }.into_string()
}

/// A document around a body that is escaped already.
pub fn document(title: &str, body: &str) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                title { (one_line(title)) }
                style { (PreEscaped(STYLE)) }
            }
            body { main { (PreEscaped(body)) } }
        }
    }
    .into_string()
        + "\n"
}

/// A stranger's value that fits a cell, whole where one points at it.
pub fn value(value: Option<&str>) -> Markup {
    let Some(value) = value else { return html! { span.dim { "none" } } };
    let whole = one_line(value);
    let short: String = whole.chars().take(60).collect();
    html! {
        @if short.len() == whole.len() { code { (whole) } }
        @else { code title=(whole) { (short) "…" } }
    }
}

/// So many rows of a table are seen at once.
const OPEN: usize = 40;
/// Fewer than so many more are not worth folding.
const FOLDED: usize = 10;

/// A table that scrolls by itself; what is past so many rows is folded.
pub fn table(label: &str, head: &[&str], rows: &[Markup]) -> Markup {
    let open = if rows.len() < OPEN + FOLDED { rows.len() } else { OPEN };
    let of = |label: &str, rows: &[Markup]| {
        html! {
            div.wide tabindex="0" role="region" aria-label=(label) { table {
                thead { tr { @for name in head { th { (name) } } } }
                tbody { @for row in rows { tr { (row) } } }
            } }
        }
    };
    html! {
        (of(label, &rows[..open]))
        @if open < rows.len() {
            details.more {
                summary { (rows.len() - open) " more" }
                (of(&format!("{label}, the rest"), &rows[open..]))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_table_is_folded() {
        let rows: Vec<Markup> = (0..60).map(|at| html! { td { "row " (at) "." } }).collect();
        let text = table("Rows", &["n"], &rows).into_string();
        let (open, folded) = text.split_once("<details class=\"more\">").unwrap();
        assert!(open.contains("row 39.") && !open.contains("row 40."), "{open}");
        assert!(folded.contains("<summary>20 more</summary>") && folded.contains("row 59."));
        assert!(!table("Rows", &["n"], &rows[..49]).into_string().contains("details"));
    }
}
