//! What leaves: pages, parts of pages, documents, and errors in one line.

use std::sync::Arc;

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use maud::{Markup, html};
use serde::Serialize;

use super::layout;
use crate::answers::private;
use crate::render;

/// A page that was made.
pub struct Made {
    /// What stands in the window's frame.
    pub title: String,
    /// What stands under the head.
    pub main: Markup,
}

/// What a question gives.
pub enum Reply {
    /// A page.
    Page(Made),
    /// What a script puts into a page that is shown.
    Part(Markup),
    /// A text to keep, with its kind.
    Text(&'static str, String),
    /// Another page.
    Elsewhere(String),
}

impl Reply {
    /// A document of JSON.
    pub fn json(value: &impl Serialize) -> anyhow::Result<Self> {
        let mut value = serde_json::to_value(value)?;
        private::hide(&mut value);
        let text = render::escape_controls(&serde_json::to_string_pretty(&value)?);
        Ok(Reply::Text("application/json", format!("{text}\n")))
    }

    /// A text of Markdown, shown as it is.
    pub fn markdown(text: String) -> Self {
        Reply::Text("text/plain; charset=utf-8", text)
    }
}

/// A finished text and its kind.
pub type Text = (&'static str, Arc<str>);

/// What is sent.
pub enum Finished {
    /// A text.
    Text(Text),
    /// Another page's address.
    Elsewhere(String),
}

impl From<Reply> for Finished {
    fn from(reply: Reply) -> Self {
        const HTML: &str = "text/html; charset=utf-8";
        let (kind, text) = match reply {
            Reply::Page(made) => (HTML, layout::page(&made).0),
            Reply::Part(part) => (HTML, part.0),
            Reply::Text(kind, text) => (kind, text),
            Reply::Elsewhere(to) => return Finished::Elsewhere(to),
        };
        Finished::Text((kind, text.into()))
    }
}

/// What the browser is sent.
pub fn of(reply: anyhow::Result<Finished>) -> Response {
    match reply {
        Ok(Finished::Text((kind, text))) => {
            ([(header::CONTENT_TYPE, kind)], text.to_string()).into_response()
        }
        Ok(Finished::Elsewhere(to)) => Redirect::to(&to).into_response(),
        Err(error) => told(&error),
    }
}

/// Markup as a response.
pub fn page(status: StatusCode, markup: &Markup) -> Response {
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    (status, kind, markup.0.clone()).into_response()
}

/// An error in one line.
pub fn line(error: &anyhow::Error) -> String {
    let line = render::text::error_line(error);
    // Whatever is derived from records that came since can only be written elsewhere.
    match line.contains("readonly database") {
        true => STALE.to_owned(),
        false => line,
    }
}

const STALE: &str =
    "what is derived from the records is not up to date; `headwater rebuild` brings it there";

fn told(error: &anyhow::Error) -> Response {
    let line = line(error);
    let status = match line == STALE {
        true => StatusCode::SERVICE_UNAVAILABLE,
        false => StatusCode::BAD_REQUEST,
    };
    let main = html! { h1 { "That cannot be answered" } p role="alert" { (line) } };
    page(status, &layout::page(&Made { title: "Not answered".to_owned(), main }))
}

/// No page is here.
pub async fn no_page() -> Response {
    let main = html! { h1 { "No page is here" } p { a href="/" { "Home" } } };
    page(StatusCode::NOT_FOUND, &layout::page(&Made { title: "No page".to_owned(), main }))
}
