//! The head that every page has.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::fields::Fields;
use crate::render::text::one_line;

const PAGES: [(&str, &str); 7] = [
    ("/", "Home"),
    ("/why", "Window"),
    ("/ledger", "Ledger"),
    ("/grep", "Grep"),
    ("/digest", "Digest"),
    ("/models", "Models"),
    ("/pins", "Pins"),
];

/// What stands above a page's answer: it can be sent before there is one.
pub fn open(title: &str) -> String {
    let head = html! {
        (head(title))
        header {
            a.skip href="#main" { "To the answer" }
            nav aria-label="Pages" {
                @for (href, name) in PAGES { a href=(href) { (name) } }
            }
            form.box action="/go" method="get" role="search" {
                label for="go" { "Window, knob, commit or pattern" }
                input id="go" name="q" type="search" autocomplete="off" spellcheck="false"
                    placeholder="v0.32.9..v0.32.13, repeat_penalty, 6a261db7d, …";
                button { "Go" }
            }
        }
    };
    head.into_string() + "<main id=\"main\" tabindex=\"-1\">"
}

/// What stands below a page's answer.
pub const CLOSE: &str = "</main></body></html>";

/// What a page is called before its answer is there.
pub fn title(path: &str, fields: &Fields) -> String {
    let name = PAGES.iter().find(|(href, _)| *href == path).map_or("Commit", |(_, name)| name);
    let ends = ["base", "head"].map(|end| fields.text(end));
    let asked = match ends {
        ["", _] | [_, ""] => ["window", "knob", "q", "sha", "week", "model"]
            .into_iter()
            .find_map(|field| fields.own(field)),
        [base, head] => Some(format!("{base}..{head}")),
    };
    asked.map_or_else(|| name.to_owned(), |asked| format!("{name} {asked}"))
}

/// The page that asks for the token.
pub fn enter(wrong: &str) -> Markup {
    html! {
        (head("Token"))
        main id="main" {
            h1 { "This server asks for its token" }
            @if !wrong.is_empty() { p role="alert" { (wrong) } }
            form.fields action="/enter" method="post" {
                label for="token" { "Token" }
                input id="token" name="token" type="password" autocomplete="off" required;
                button { "Enter" }
            }
        }
        (PreEscaped("</body></html>"))
    }
}

fn head(title: &str) -> Markup {
    html! {
        (DOCTYPE)
        (PreEscaped("<html lang=\"en\">"))
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            title { (one_line(title)) " · headwater" }
            link rel="icon" href="/assets/icon.svg";
            link rel="stylesheet" href="/assets/style.css";
            script defer src="/assets/page.js" {}
        }
        (PreEscaped("<body>"))
    }
}
