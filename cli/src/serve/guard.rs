//! Who may ask: the name that was asked for, the token, and the headers that keep a page to
//! itself.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use headwater_store::Digest;

use super::fields::Fields;
use super::{layout, reply};

/// Nothing but what the server itself has: no script or style that stands in a page, no
/// frame, no other host.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const COOKIE: &str = "headwater-token";

/// What is let in.
pub struct Guard {
    /// Values of the Host header: another one is a page elsewhere whose name was made to
    /// point here.
    hosts: Vec<String>,
    /// The token's hash.
    token: Option<Digest>,
}

impl Guard {
    /// Lets in what asks for this address or one of these names, with the token.
    pub fn new(address: SocketAddr, names: &[String], token: Option<&str>) -> Self {
        let port = address.port();
        let mut hosts = vec![address.to_string()];
        if address.ip().is_loopback() {
            hosts.extend(["localhost", "127.0.0.1", "[::1]"].map(|name| format!("{name}:{port}")));
        }
        for name in names {
            hosts
                .extend([name.to_ascii_lowercase(), format!("{name}:{port}").to_ascii_lowercase()]);
        }
        Guard { hosts, token: token.map(|token| Digest::of(token.as_bytes())) }
    }

    fn knows_host(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        host.is_some_and(|host| self.hosts.contains(&host.to_ascii_lowercase()))
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let bearer = text(header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
        let cookies = text(header::COOKIE).unwrap_or_default().split("; ");
        let cookie = cookies.filter_map(|one| one.strip_prefix(COOKIE)?.strip_prefix('='));
        bearer
            .map(|shown| Digest::of(shown.as_bytes()))
            .into_iter()
            // The cookie holds the hash, so that the token is not kept in a browser.
            .chain(cookie.filter_map(|shown| shown.parse().ok()))
            .any(|shown| same(&shown, token))
    }
}

/// Whether two hashes are the same, by hashing them again: how long that takes tells nothing
/// of where they part.
fn same(one: &Digest, other: &Digest) -> bool {
    let again = |digest: &Digest| Digest::of(digest.hex().as_bytes());
    again(one) == again(other)
}

/// Whether a page of another site asks in the background: its picture would make the server
/// work. A link that is followed is no such thing.
/// <https://www.w3.org/TR/fetch-metadata/>
fn is_from_elsewhere(headers: &HeaderMap) -> bool {
    let is = |name: &str, value: &str| headers.get(name).is_some_and(|found| found == value);
    is("sec-fetch-site", "cross-site") && !is("sec-fetch-mode", "navigate")
}

/// Lets a request in or not, and sets the headers of what leaves.
pub async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let open = request.uri().path() == "/enter" || request.uri().path().starts_with("/assets/");
    let mut response = if !guard.knows_host(headers) {
        let line = "this name is not one that the server goes by; --host NAME adds one";
        (StatusCode::MISDIRECTED_REQUEST, line).into_response()
    } else if is_from_elsewhere(headers) {
        let line = "another site's page asked for this; open it by itself";
        (StatusCode::FORBIDDEN, line).into_response()
    } else if !open && !guard.has_token(headers) {
        match request.method() {
            &Method::GET => reply::page(StatusCode::UNAUTHORIZED, &layout::enter("")),
            _ => StatusCode::UNAUTHORIZED.into_response(),
        }
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    for name in ["cross-origin-opener-policy", "cross-origin-resource-policy"] {
        headers.insert(name, HeaderValue::from_static("same-origin"));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Takes the token from the form and keeps its hash as a cookie.
pub async fn enter(Extension(guard): Extension<Arc<Guard>>, body: Bytes) -> Response {
    let fields = Fields::read(&String::from_utf8_lossy(&body));
    let shown = Digest::of(fields.text("token").as_bytes());
    if guard.token.as_ref().is_some_and(|token| !same(token, &shown)) {
        return reply::page(StatusCode::UNAUTHORIZED, &layout::enter("that is not the token"));
    }
    let cookie = format!("{COOKIE}={}; Path=/; HttpOnly; SameSite=Strict", shown.hex());
    let headers = [(header::LOCATION, "/".to_owned()), (header::SET_COOKIE, cookie)];
    (StatusCode::SEE_OTHER, headers).into_response()
}
