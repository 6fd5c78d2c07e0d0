//! The raw host: files at a revision.

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::get;
use sha2::{Digest, Sha256};

use crate::github::{Found, Shared};
use crate::host::text;

/// The raw host.
pub(crate) fn router(world: Shared) -> Router {
    Router::new()
        .route("/{owner}/{repo}/{*rest}", get(file))
        .fallback(async || missing())
        .with_state(world)
}

fn missing() -> Response {
    text(404, "text/plain; charset=utf-8", "404: Not Found".to_owned())
}

async fn file(
    State(world): State<Shared>,
    Path((owner, name, rest)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> Response {
    // Older names go on to work here, without a redirect.
    let repo = match Found::by_name(&world, &owner, &name) {
        Found::Here(repo) | Found::Moved(repo) => repo,
        Found::Nowhere => return missing(),
    };
    let git = repo.git();
    // A branch's name may have slashes, so the revision may be several parts.
    let rest =
        rest.strip_prefix("refs/heads/").or(rest.strip_prefix("refs/tags/")).unwrap_or(&rest);
    let mut found = None;
    for (at, _) in rest.match_indices('/') {
        let (revision, path) = (&rest[..at], &rest[at + 1..]);
        if let Some(sha) = git.resolve(revision).await {
            found = git.bytes(&["cat-file", "blob", &format!("{sha}:{path}")]).await;
            break;
        }
    }
    let Some(bytes) = found else { return missing() };
    let hex: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let etag = format!("W/\"{hex}\"");
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|v| v.as_bytes() == etag.as_bytes());
    let kind = match std::str::from_utf8(&bytes) {
        Ok(_) => "text/plain; charset=utf-8",
        Err(_) => "application/octet-stream",
    };
    let mut response = Response::new(if known { Body::empty() } else { Body::from(bytes) });
    if known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static("max-age=300"));
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        out.insert(header::ETAG, etag);
    }
    response
}
