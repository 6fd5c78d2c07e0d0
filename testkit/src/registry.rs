//! The Ollama registry, the host that it sends to for blobs, and the one for tokens.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use serde_json::json;

use crate::github::{Shared, escaped};
use crate::host::{Host, text};
use crate::ollama_models::Model;

const JSON: &str = "application/json; charset=utf-8";
/// The token that the token host gives to everybody.
const TOKEN: &str = "testkit-registry-token";

/// The registry.
pub(crate) fn router(world: Shared) -> Router {
    Router::new()
        .route("/v2/{*path}", any(v2))
        .fallback(async || text(404, "text/plain; charset=utf-8", "404 page not found".to_owned()))
        .with_state(world)
}

/// Where blobs come from.
pub(crate) fn blobs(world: Shared) -> Router {
    Router::new()
        .route("/blobs/{digest}", get(blob))
        .fallback(async || StatusCode::FORBIDDEN)
        .with_state(world)
}

/// Where tokens come from.
pub(crate) fn tokens() -> Router {
    Router::new()
        .route("/token", get(async || text(200, JSON, json!({ "token": TOKEN }).to_string())))
}

fn error(status: u16, code: &str, message: &str) -> Response {
    let value = json!({ "errors": [{ "code": code, "message": message }] });
    text(status, JSON, value.to_string())
}

async fn v2(
    State(world): State<Shared>,
    Path(path): Path<String>,
    method: Method,
    headers: HeaderMap,
) -> Response {
    let parts = |kind: &str| path.rsplit_once(kind).map(|(a, b)| (a.to_owned(), b.to_owned()));
    let Some((name, what)) = parts("/manifests/").or_else(|| parts("/blobs/")) else {
        return error(404, "NAME_UNKNOWN", "repository name not known to registry");
    };
    let needs_token = world.state().registry_needs_token;
    let bearer = headers.get(header::AUTHORIZATION).and_then(|v| v.to_str().ok());
    if needs_token && bearer != Some(&format!("Bearer {TOKEN}")) {
        let mut response = error(401, "UNAUTHORIZED", "authentication required");
        let challenge = format!(
            "Bearer realm=\"{}/token\",service=\"registry\",scope=\"repository:{name}:pull\"",
            world.url(Host::Tokens)
        );
        if let Ok(challenge) = HeaderValue::from_str(&challenge) {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        return response;
    }
    if path.contains("/blobs/") {
        return to_blob(&world, &what);
    }
    if method != Method::GET {
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET")]).into_response();
    }
    let agent = headers.get(header::USER_AGENT).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let mut response = manifest(&world, &name, &what, agent);
    if world.state().registry_etags && response.status() == StatusCode::OK {
        let id = world.state().models.find(&name, &what).map(Model::id).unwrap_or_default();
        let etag = HeaderValue::from_str(&format!("\"{id}\"")).ok();
        if etag.is_some() && headers.get(header::IF_NONE_MATCH) == etag.as_ref() {
            response = StatusCode::NOT_MODIFIED.into_response();
        }
        if let Some(etag) = etag {
            response.headers_mut().insert(header::ETAG, etag);
        }
    }
    response
}

fn manifest(world: &Shared, name: &str, tag: &str, agent: &str) -> Response {
    let Some(model) = world.state().models.find(name, tag).cloned() else {
        return error(404, "MANIFEST_UNKNOWN", "manifest unknown");
    };
    let theirs = agent.strip_prefix("ollama/").and_then(|rest| rest.split(' ').next());
    let too_old = match (&model.requires, theirs) {
        (Some(least), Some(theirs)) => version(theirs) < version(least),
        _ => false,
    };
    if too_old || model.refused {
        return error(
            412,
            "PRECONDITION_FAILED",
            "The model you are attempting to pull requires a newer version of Ollama.",
        );
    }
    // The real one says plain text, and no length.
    let bytes: Result<Bytes, std::convert::Infallible> = Ok(Bytes::from(model.manifest()));
    let body = Body::from_stream(futures_util::stream::iter([bytes]));
    let mut response = Response::new(body);
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

fn version(text: &str) -> Vec<u64> {
    text.split(['.', '-']).map_while(|part| part.parse().ok()).collect()
}

fn to_blob(world: &Shared, digest: &str) -> Response {
    if world.state().models.blob(digest).is_none() {
        return error(404, "BLOB_UNKNOWN", "blob unknown to registry");
    }
    let to = format!("{}/blobs/{}?signature=0", world.url(Host::Blobs), escaped(digest));
    let mut response = StatusCode::TEMPORARY_REDIRECT.into_response();
    if let Ok(to) = HeaderValue::from_str(&to) {
        response.headers_mut().insert(header::LOCATION, to);
    }
    response
}

async fn blob(
    State(world): State<Shared>,
    Path(digest): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    // Only the registry's signed addresses work.
    if !query.unwrap_or_default().contains("signature=") {
        return StatusCode::FORBIDDEN.into_response();
    }
    match world.state().models.blob(&digest) {
        Some(bytes) => {
            ([(header::CONTENT_TYPE, "application/octet-stream")], bytes).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
