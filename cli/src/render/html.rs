//! HTML documents of their own: they load nothing, and no text gets into them unescaped.

use maud::{DOCTYPE, PreEscaped, html};

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
                title { (super::text::one_line(title)) }
                style { (PreEscaped(STYLE)) }
            }
            body { main { (PreEscaped(body)) } }
        }
    }
    .into_string()
        + "\n"
}
