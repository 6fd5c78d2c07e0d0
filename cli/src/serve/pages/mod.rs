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
use headwater_store::progress::Progress;

pub use self::digest::this_week;
use super::fields::{Fields, Takes};
use super::layout;
use super::reply::{self, Finished, Reply};
use super::room::{Lane, Room};
use super::stream::{self, Answer};
use super::waiting::{Asker, Waiting};

type Question = fn(&Room, &mut Store, &Fields) -> anyhow::Result<Reply>;

/// A page that can be asked for.
#[derive(Clone, Copy)]
struct Asked {
    question: Question,
    takes: &'static Takes,
    lane: fn(&Fields) -> Lane,
}

/// Each page by its path.
const PAGES: [(&str, Asked); 9] = [
    // What the store holds, and what is new.
    ("/", Asked { question: home::page, takes: &home::TAKES, lane: |_| Lane::Short }),
    // Where the box on top leads.
    ("/go", Asked { question: go::page, takes: &go::TAKES, lane: |_| Lane::Short }),
    // A window's report.
    ("/why", Asked { question: why::page, takes: &why::TAKES, lane: why::lane }),
    // The life of a knob, or all knobs.
    ("/ledger", Asked { question: ledger::page, takes: &ledger::TAKES, lane: |_| Lane::Middle }),
    // Exact search.
    ("/grep", Asked { question: grep::page, takes: &grep::TAKES, lane: |_| Lane::Middle }),
    ("/commit", Asked { question: commit::page, takes: &commit::TAKES, lane: |_| Lane::Short }),
    // A week.
    ("/digest", Asked { question: digest::page, takes: &digest::TAKES, lane: digest::lane }),
    ("/models", Asked { question: models::page, takes: &models::TAKES, lane: |_| Lane::Short }),
    // Pins, and how far behind they are.
    ("/pins", Asked { question: pins::page, takes: &pins::TAKES, lane: |_| Lane::Middle }),
];

/// Where there are pages.
pub fn paths() -> impl Iterator<Item = &'static str> {
    PAGES.iter().map(|(path, _)| *path)
}

fn at(path: &str) -> Option<Asked> {
    PAGES.iter().find(|(one, _)| *one == path).map(|(_, page)| *page)
}

/// Answers a page.
pub async fn page(State(room): State<Arc<Room>>, uri: Uri) -> Response {
    let Some(page) = at(uri.path()) else { return reply::no_page().await };
    let fields = Fields::read(uri.query().unwrap_or_default());
    let sent = match fields.get("format") {
        Some("json") => reply::document,
        _ => reply::of,
    };
    if let Err(error) = fields.check(page.takes) {
        return sent(Err(error));
    }
    // What leads elsewhere, and what a script reads, is sent whole.
    let is_page = uri.path() != "/go" && !fields.is_on("part") && fields.get("format").is_none();
    let title = layout::title(uri.path(), &fields);
    let patience = room.patience;
    let waiting = Arc::new(Waiting::new(room.limit));
    // Dropped with this, when whoever asked has gone.
    let asker = Asker(Arc::clone(&waiting));
    let mut answer: Answer = Box::pin(find(room, waiting, uri, fields, page));
    if !is_page {
        return sent(answer.await);
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
    page: Asked,
) -> anyhow::Result<Finished> {
    let key = key(&uri, &fields);
    // What is kept waits for no turn.
    if let Some(text) = key.as_deref().and_then(|key| room.kept(key)) {
        return Ok(Finished::Text(text));
    }
    let mut lane = (page.lane)(&fields);
    if lane == Lane::Long && uri.path() == "/why" {
        let (room, fields) = (Arc::clone(&room), fields.clone());
        let weighing = Arc::new(Waiting::new(room.limit));
        let weigh = move |room: &Room, store: &mut Store| why::is_small(room, store, &fields);
        if room.ask(Lane::Short, weighing, weigh).await.unwrap_or(true) {
            lane = Lane::Middle;
        }
    }
    room.ask(lane, waiting, move |room, store| made(room, store, key, &fields, page)).await
}

/// Answers, unless somebody did meanwhile.
fn made(
    room: &Room,
    store: &mut Store,
    key: Option<String>,
    fields: &Fields,
    page: Asked,
) -> anyhow::Result<Finished> {
    if let Some(text) = key.as_deref().and_then(|key| room.kept(key)) {
        return Ok(Finished::Text(text));
    }
    let state = room.state();
    let finished = (page.question)(room, store, fields)?.into();
    if let (Some(state), Some(key), Finished::Text(text)) = (state, key, &finished) {
        room.kept.keep(state, key, text);
    }
    Ok(finished)
}

/// What an answer is kept under. What a week that is not over holds depends on the day.
fn key(uri: &Uri, fields: &Fields) -> Option<String> {
    if uri.path() != "/digest" {
        return Some(uri.to_string());
    }
    match (fields.get("since"), fields.get("week")) {
        (Some(_), _) => None,
        (None, Some(_)) => Some(uri.to_string()),
        (None, None) => Some(fields.with(uri.path(), "week", &this_week())),
    }
}

/// Answers a page before it is asked for; tells whether it could, as long as `progress` wants
/// it.
pub async fn prepare(room: &Arc<Room>, address: &str, progress: Arc<dyn Progress>) -> bool {
    let Ok(uri) = address.parse::<Uri>() else { return false };
    let Some(page) = at(uri.path()) else { return false };
    let fields = Fields::read(uri.query().unwrap_or_default());
    let key = key(&uri, &fields);
    let answer = Arc::clone(room)
        .answer(progress, move |room, store| made(room, store, key, &fields, page).map(drop));
    answer.await.is_ok()
}
