//! The head that every page has.

use maud::{DOCTYPE, Markup, html};

use super::reply::Made;
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

/// A whole page.
pub fn page(made: &Made) -> Markup {
    frame(
        &made.title,
        &html! {
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
            main id="main" tabindex="-1" { (made.main) }
        },
    )
}

/// The page that asks for the token.
pub fn enter(wrong: &str) -> Markup {
    frame(
        "Token",
        &html! {
            main id="main" {
                h1 { "This server asks for its token" }
                @if !wrong.is_empty() { p role="alert" { (wrong) } }
                form.fields action="/enter" method="post" {
                    label for="token" { "Token" }
                    input id="token" name="token" type="password" autocomplete="off" required;
                    button { "Enter" }
                }
            }
        },
    )
}

fn frame(title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (one_line(title)) " · headwater" }
                link rel="icon" href="/assets/icon.svg";
                link rel="stylesheet" href="/assets/style.css";
                script defer src="/assets/page.js" {}
            }
            body { (body) }
        }
    }
}
