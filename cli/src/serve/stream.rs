//! A page whose answer takes its time: its head at once, how far the answer is, then the
//! answer. Without a script: each line of waiting hides when something follows it.

use std::pin::Pin;
use std::time::Duration;

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use maud::html;

use super::layout;
use super::reply::{self, Finished};
use super::waiting::Asker;

/// How far the answer is, is told so often.
const TELL: Duration = Duration::from_millis(400);

/// The answer, when it is there.
pub type Answer = Pin<Box<dyn Future<Output = anyhow::Result<Finished>> + Send>>;

struct Under {
    answer: Answer,
    asker: Asker,
    told: String,
}

enum Step {
    Head(String, Under),
    Wait(Under),
    End,
}

/// The page, piece by piece.
pub fn page(title: &str, answer: Answer, asker: Asker) -> Response {
    let head = layout::open(title);
    let under = Under { answer, asker, told: String::new() };
    let pieces = stream::unfold(Step::Head(head, under), async |step| {
        let piece = match step {
            Step::End => return None,
            Step::Head(head, mut under) => {
                let line = waiting(&mut under);
                (head + &line, Step::Wait(under))
            }
            Step::Wait(mut under) => match next(&mut under).await {
                Next::Line(line) => (line, Step::Wait(under)),
                Next::Answer(rest) => (rest, Step::End),
            },
        };
        Some((Ok::<_, std::convert::Infallible>(piece.0), piece.1))
    });
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    (kind, Body::from_stream(pieces)).into_response()
}

enum Next {
    Line(String),
    Answer(String),
}

async fn next(under: &mut Under) -> Next {
    loop {
        match tokio::time::timeout(TELL, &mut under.answer).await {
            Ok(answer) => return Next::Answer(rest(answer)),
            Err(_) => {
                let line = waiting(under);
                if !line.is_empty() {
                    return Next::Line(line);
                }
            }
        }
    }
}

/// What is told while one waits; nothing where it was told.
fn waiting(under: &mut Under) -> String {
    let line = under.asker.0.line();
    if line == under.told {
        return String::new();
    }
    under.told.clone_from(&line);
    html! { p.waiting role="status" { (line) } }.into_string()
}

fn rest(answer: anyhow::Result<Finished>) -> String {
    match answer {
        Ok(Finished::Text(text)) => text.rest.to_string(),
        Ok(Finished::Elsewhere(to)) => {
            html! { p { a href=(to) { "The answer" } } }.into_string() + layout::CLOSE
        }
        Err(error) => reply::apology(&error).into_string() + layout::CLOSE,
    }
}
