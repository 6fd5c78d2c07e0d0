//! The pages, one a file.

mod commit;
mod digest;
mod go;
mod grep;
mod home;
mod ledger;
mod models;
mod pins;
mod say;
mod why;

use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use headwater_store::Store;

use super::fields::Fields;
use super::kept::StoreState;
use super::layout;
use super::reply::{self, Finished, Reply};
use super::room::Room;
use super::stream::{self, Answer};
use super::waiting::{Asker, Waiting};

type Question = fn(&Room, &mut Store, &Fields) -> anyhow::Result<Reply>;

async fn answer(room: Arc<Room>, uri: Uri, question: Question) -> Response {
    let fields = Fields::read(uri.query().unwrap_or_default());
    // What leads elsewhere, and what a script reads, is sent whole.
    let is_page = uri.path() != "/go" && !fields.is_on("part") && fields.get("format").is_none();
    let title = layout::title(uri.path(), &fields);
    let patience = room.patience;
    let waiting = Arc::new(Waiting::new(room.limit));
    // Dropped with this, when whoever asked has gone.
    let asker = Asker(Arc::clone(&waiting));
    let mut answer: Answer = Box::pin(find(room, waiting, uri, fields, question));
    if !is_page {
        return reply::of(answer.await);
    }
    match tokio::time::timeout(patience, &mut answer).await {
        Ok(finished) => reply::of(finished),
        Err(_) => stream::page(&title, answer, asker),
    }
}

/// What was answered before, or is answered now.
async fn find(
    room: Arc<Room>,
    waiting: Arc<Waiting>,
    uri: Uri,
    fields: Fields,
    question: Question,
) -> anyhow::Result<Finished> {
    // What a week that is not over holds depends on the day too.
    let lasts = uri.path() != "/digest" || fields.get("week").is_some();
    let asked = uri.to_string();
    room.ask(waiting, move |room, store| {
        let state = lasts.then(|| StoreState::of(store.dir())).flatten();
        if let Some(text) = state.and_then(|state| room.kept.get(state, &asked)) {
            return Ok(Finished::Text(text));
        }
        let finished = question(room, store, &fields)?.into();
        if let (Some(state), Finished::Text(text)) = (state, &finished) {
            room.kept.keep(state, asked, text);
        }
        Ok(finished)
    })
    .await
}

/// Makes the first page before it is asked for, so that it is waited for least.
pub async fn prepare(room: Arc<Room>) {
    let waiting = Arc::new(Waiting::new(room.limit));
    // Whatever is wrong is told on the page itself.
    let _ = find(room, waiting, Uri::from_static("/"), Fields::default(), home::page).await;
}

macro_rules! pages {
    ($($(#[$about:meta])* $name:ident)*) => {$(
        $(#[$about])*
        pub async fn $name(State(room): State<Arc<Room>>, uri: Uri) -> Response {
            answer(room, uri, $name::page).await
        }
    )*};
}

pages! {
    /// What the store holds, and what is new.
    home
    /// Where the box on top leads.
    go
    /// A window's report.
    why
    /// The life of a knob, or all knobs.
    ledger
    /// Exact search.
    grep
    /// A commit.
    commit
    /// A week.
    digest
    /// Models.
    models
    /// Pins, and how far behind they are.
    pins
}
