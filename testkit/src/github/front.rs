//! What every request to the API meets first: who asks, how much is left, and whether
//! the answer is new to them.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use chrono::Utc;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{Answer, Shared, json_answer, ok, refused};
use crate::host::collected;
use crate::world::Budget;

/// The token that a request brings, without its scheme.
fn token(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (_, token) = value.split_once(' ')?;
    Some(token.trim().to_owned())
}

pub(super) async fn front(State(world): State<Shared>, request: Request, next: Next) -> Response {
    let headers = request.headers().clone();
    if !headers.contains_key(header::USER_AGENT) {
        return refused(
            StatusCode::FORBIDDEN,
            "Request forbidden by administrative rules. Please make sure your request has a User-Agent header.",
        );
    }
    let token = token(&headers);
    if let Some(token) = &token
        && !world.state().tokens.contains(token)
    {
        return refused(StatusCode::UNAUTHORIZED, "Bad credentials");
    }
    let free = request.uri().path() == "/rate_limit";
    let resource = if request.uri().path().starts_with("/search/") { "search" } else { "core" };
    let budget = {
        let mut state = world.state();
        let budget = state.budget(token.as_deref());
        if !free && budget.used >= budget.limit {
            let mut response = refused(
                StatusCode::FORBIDDEN,
                "API rate limit exceeded for 127.0.0.1. (But here's the good news: Authenticated requests get a higher rate limit. Check out the documentation for more details.)",
            );
            limit_headers(response.headers_mut(), *budget, resource);
            return response;
        }
        budget.used += u64::from(!free);
        *budget
    };
    let (mut parts, body) = collected(next.run(request).await).await;
    let mut not_modified = false;
    if parts.status == StatusCode::OK {
        let etag = match parts.headers.get(header::ETAG) {
            Some(etag) => etag.to_str().unwrap_or_default().to_owned(),
            None => etag_of(&headers, &body),
        };
        not_modified = headers
            .get(header::IF_NONE_MATCH)
            .and_then(|v| v.to_str().ok())
            .is_some_and(|known| known.split(',').any(|one| one.trim() == etag));
        if let Ok(etag) = HeaderValue::from_str(&etag) {
            parts.headers.insert(header::ETAG, etag);
        }
    }
    let mut budget = budget;
    // A 304 is free for those who say who they are, and only for them.
    if not_modified && token.is_some() {
        let mut state = world.state();
        let kept = state.budget(token.as_deref());
        kept.used = kept.used.saturating_sub(1);
        budget = *kept;
    }
    limit_headers(&mut parts.headers, budget, resource);
    let cache = if token.is_some() {
        "private, max-age=60, s-maxage=60"
    } else {
        "public, max-age=60, s-maxage=60"
    };
    for (name, value) in [
        ("cache-control", cache),
        ("vary", "Accept, Authorization, Cookie, X-GitHub-OTP,Accept-Encoding"),
        ("x-github-api-version-selected", "2022-11-28"),
        ("x-github-request-id", "0000:0000:0000000:0000000:00000000"),
    ] {
        parts.headers.insert(name, HeaderValue::from_static(value));
    }
    if not_modified {
        parts.status = StatusCode::NOT_MODIFIED;
        parts.headers.remove(header::CONTENT_TYPE);
        parts.headers.remove(header::CONTENT_LENGTH);
        return Response::from_parts(parts, Body::empty());
    }
    Response::from_parts(parts, Body::from(body))
}

/// The tag of one representation: another media type is another one.
fn etag_of(headers: &HeaderMap, body: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(headers.get(header::ACCEPT).map_or(&b""[..], HeaderValue::as_bytes));
    hash.update([0]);
    hash.update(body);
    let hex: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("W/\"{hex}\"")
}

fn limit_headers(headers: &mut HeaderMap, budget: Budget, resource: &'static str) {
    for (name, value) in [
        ("x-ratelimit-limit", budget.limit.to_string()),
        ("x-ratelimit-remaining", budget.limit.saturating_sub(budget.used).to_string()),
        ("x-ratelimit-used", budget.used.min(budget.limit).to_string()),
        ("x-ratelimit-reset", budget.reset.to_string()),
        ("x-ratelimit-resource", resource.to_owned()),
    ] {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(name, value);
        }
    }
}

/// `GET /rate_limit`, which costs nothing.
pub(super) async fn rate_limit(State(world): State<Shared>, headers: HeaderMap) -> Answer {
    let budget = *world.state().budget(token(&headers).as_deref());
    let one = |limit: u64, used: u64| -> Value {
        json!({
            "limit": limit,
            "used": used.min(limit),
            "remaining": limit.saturating_sub(used),
            "reset": budget.reset.max(Utc::now().timestamp()),
        })
    };
    let core = one(budget.limit, budget.used);
    ok(&json!({ "resources": { "core": core, "search": one(10, 0) }, "rate": core }))
}

/// A media type that the request asks for, of GitHub's own: `diff` for
/// `application/vnd.github.diff` and for the older `application/vnd.github.v3.diff`.
pub(super) fn media(headers: &HeaderMap) -> Option<String> {
    let accept = headers.get(header::ACCEPT)?.to_str().ok()?;
    let own =
        accept.split(',').find_map(|one| one.trim().strip_prefix("application/vnd.github."))?;
    let own = own.strip_prefix("v3.").unwrap_or(own);
    let own = own.split([';', '+']).next()?;
    ["diff", "patch", "sha", "raw"].contains(&own).then(|| own.to_owned())
}

/// An answer in one of GitHub's own media types.
pub(super) fn media_answer(kind: &str, body: Vec<u8>) -> Response {
    let mut response = json_answer(StatusCode::OK, &Value::Null);
    *response.body_mut() = Body::from(body);
    let kind = format!("application/vnd.github.{kind}; charset=utf-8");
    if let Ok(kind) = HeaderValue::from_str(&kind) {
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
    }
    response.headers_mut().remove(header::CONTENT_LENGTH);
    response
}
