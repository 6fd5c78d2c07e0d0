//! GitHub's REST API.

// An answer is a response either way: to box one of the two would buy nothing here.
#![allow(clippy::result_large_err)]

mod commits;
mod front;
mod issues;
mod objects;
mod page;
mod people;
mod pulls;
mod refs;
mod releases;
mod repo;

use std::sync::Arc;

use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};

pub use issues::{Advisory, Issue};
pub(crate) use page::escaped;
pub use releases::Release;
pub(crate) use releases::{newest_final, sorted};
pub(crate) use repo::{Found, Repo};

use crate::world::World;

/// The state that handlers share.
pub(crate) type Shared = Arc<World>;

/// What a handler answers: a response either way.
pub(crate) type Answer = Result<Response, Response>;

/// All of the API.
pub(crate) fn router(world: Shared) -> Router {
    Router::new()
        .nest("/repos/{owner}/{repo}", of_a_repository())
        .nest("/repositories/{id}", of_a_repository())
        .route("/search/issues", get(issues::search))
        .route("/rate_limit", get(front::rate_limit))
        .fallback(async || not_found())
        .layer(from_fn_with_state(world.clone(), front::front))
        .with_state(world)
}

fn of_a_repository() -> Router<Shared> {
    Router::new()
        .route("/", get(repo::show))
        .route("/compare/{basehead}", get(commits::compare))
        .route("/commits", get(commits::list))
        .route("/commits/{reference}", get(commits::show))
        .route("/commits/{sha}/pulls", get(pulls::of_commit))
        .route("/tags", get(refs::tags))
        .route("/git/tags/{sha}", get(refs::tag_object))
        .route("/git/trees/{sha}", get(objects::tree))
        .route("/git/blobs/{sha}", get(objects::blob))
        .route("/git/ref/{*name}", get(refs::one))
        .route("/git/matching-refs/{*name}", get(refs::matching))
        .route("/releases", get(releases::list))
        .route("/releases/latest", get(releases::latest))
        .route("/releases/tags/{tag}", get(releases::by_tag))
        .route("/pulls/{number}", get(pulls::show))
        .route("/issues", get(issues::list))
        .route("/issues/{number}", get(issues::show))
        .route("/security-advisories", get(issues::advisories))
        .fallback(async || not_found())
}

/// A JSON answer.
pub(crate) fn json_answer(status: StatusCode, value: &Value) -> Response {
    let kind = HeaderValue::from_static("application/json; charset=utf-8");
    (status, [(header::CONTENT_TYPE, kind)], value.to_string()).into_response()
}

/// A JSON answer of what was asked for.
pub(crate) fn ok(value: &Value) -> Answer {
    Ok(json_answer(StatusCode::OK, value))
}

/// An error as GitHub words it.
pub(crate) fn refused(status: StatusCode, message: &str) -> Response {
    let mut value = json!({
        "message": message,
        "documentation_url": "https://docs.github.com/rest",
    });
    // The description knows no such field in the answers to what is not valid.
    if status != StatusCode::UNPROCESSABLE_ENTITY {
        value["status"] = json!(status.as_u16().to_string());
    }
    json_answer(status, &value)
}

/// 404.
pub(crate) fn not_found() -> Response {
    refused(StatusCode::NOT_FOUND, "Not Found")
}
