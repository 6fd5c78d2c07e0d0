//! What leaves: pages, parts of pages, documents, and errors in one line.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use futures_util::stream;
use headwater_store::StoreError;
use maud::{Markup, PreEscaped, html};
use schemars::JsonSchema;
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
        Self::value(serde_json::to_value(value)?)
    }

    /// The same of what is a value already.
    pub fn value(mut value: serde_json::Value) -> anyhow::Result<Self> {
        private::hide(&mut value);
        Ok(Reply::Text("application/json", render::value_text(&value)?))
    }

    /// A text of Markdown, shown as it is.
    pub fn markdown(text: String) -> Self {
        Reply::Text("text/plain; charset=utf-8", text)
    }
}

/// A finished text.
#[derive(Clone)]
pub struct Text {
    kind: &'static str,
    /// What is the same whatever the answer is.
    head: Arc<str>,
    /// The answer.
    pub rest: Arc<str>,
}

impl Text {
    /// How long it is, in bytes.
    pub fn len(&self) -> usize {
        self.head.len() + self.rest.len()
    }
}

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
        let (kind, head, rest) = match reply {
            Reply::Page(made) => {
                (HTML, layout::open(&made.title), made.main.into_string() + layout::CLOSE)
            }
            Reply::Part(part) => (HTML, String::new(), part.0),
            Reply::Text(kind, text) => (kind, String::new(), text),
            Reply::Elsewhere(to) => return Finished::Elsewhere(to),
        };
        Finished::Text(Text { kind, head: head.into(), rest: rest.into() })
    }
}

/// A piece of a text that is sent.
struct Piece(Arc<str>);

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// Why a question for a document was not answered.
#[derive(Serialize, JsonSchema)]
pub struct Problem {
    /// `headwater/error/1`
    schema: &'static str,
    /// The same line that the command prints.
    error: String,
    /// The status that it came with: 400, or 503 where the same question may be answered
    /// later.
    status: u16,
}

/// What a script is sent that asked for JSON.
pub fn document(reply: anyhow::Result<Finished>) -> Response {
    let error = match reply {
        Ok(finished) => return of(Ok(finished)),
        Err(error) => error,
    };
    let status = status(&error);
    let problem =
        Problem { schema: "headwater/error/1", error: line(&error), status: status.as_u16() };
    match render::json_text(&problem) {
        Ok(text) => (status, [(header::CONTENT_TYPE, "application/json")], text).into_response(),
        Err(error) => told(&error),
    }
}

/// What the browser is sent.
pub fn of(reply: anyhow::Result<Finished>) -> Response {
    match reply {
        Ok(Finished::Text(text)) => {
            // One that is kept is sent as it lies there: a large one is not copied first.
            let length = [(header::CONTENT_LENGTH, text.len().to_string())];
            let pieces = [text.head, text.rest].map(|piece| Bytes::from_owner(Piece(piece)));
            let body = Body::from_stream(stream::iter(pieces.map(Ok::<_, Infallible>)));
            ([(header::CONTENT_TYPE, text.kind)], length, body).into_response()
        }
        Ok(Finished::Elsewhere(to)) => Redirect::to(&to).into_response(),
        Err(error) => told(&error),
    }
}

/// A whole page.
pub fn whole(title: &str, main: &Markup) -> Markup {
    PreEscaped([&layout::open(title), &*main.0, layout::CLOSE].concat())
}

/// Markup as a response.
pub fn page(status: StatusCode, markup: &Markup) -> Response {
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    (status, kind, markup.0.clone()).into_response()
}

/// A question takes longer than it may.
#[derive(Debug, thiserror::Error)]
#[error(
    "this takes longer than the {0} s that a page may take; ask for less, ask the command line, which has no limit, or serve with a greater --limit"
)]
pub struct TooLong(pub u64);

/// An error in one line.
pub fn line(error: &anyhow::Error) -> String {
    render::text::error_line(error)
}

/// An error where the answer would stand.
pub fn apology(error: &anyhow::Error) -> Markup {
    html! { h1 { "That cannot be answered" } p role="alert" { (line(error)) } }
}

fn status(error: &anyhow::Error) -> StatusCode {
    match error.is::<TooLong>() || line(error) == StoreError::Stale.to_string() {
        true => StatusCode::SERVICE_UNAVAILABLE,
        false => StatusCode::BAD_REQUEST,
    }
}

fn told(error: &anyhow::Error) -> Response {
    page(status(error), &whole("Not answered", &apology(error)))
}

/// No page is here.
pub async fn no_page() -> Response {
    let main = html! { h1 { "No page is here" } p { a href="/" { "Home" } } };
    page(StatusCode::NOT_FOUND, &whole("No page", &main))
}
