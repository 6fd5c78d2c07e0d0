//! The requests that came in.

use std::time::Instant;

use axum::http::{HeaderMap, Method, Uri, header};

use crate::host::Host;

/// One request, as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Which host it came to.
    pub host: Host,
    /// The method.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Whether it asked only for what is newer (`if-none-match`, `if-modified-since`).
    pub conditional: bool,
    /// The `authorization` header, where one was sent.
    pub authorization: Option<String>,
    /// The `user-agent` header.
    pub user_agent: Option<String>,
    /// The `accept` header.
    pub accept: Option<String>,
    /// When it arrived: whether a client waited as it was told.
    pub at: Instant,
    /// How many requests were under way at this host when it arrived, itself included.
    pub at_once: usize,
    /// The status of the answer; 0 where the connection was cut instead.
    pub status: u16,
}

impl Request {
    pub(crate) fn new(host: Host, method: &Method, uri: &Uri, headers: &HeaderMap) -> Self {
        let text = |name: header::HeaderName| {
            headers.get(name).map(|v| String::from_utf8_lossy(v.as_bytes()).into_owned())
        };
        Request {
            host,
            method: method.to_string(),
            target: uri.path_and_query().map_or("/", |p| p.as_str()).to_owned(),
            conditional: headers.contains_key(header::IF_NONE_MATCH)
                || headers.contains_key(header::IF_MODIFIED_SINCE),
            authorization: text(header::AUTHORIZATION),
            user_agent: text(header::USER_AGENT),
            accept: text(header::ACCEPT),
            at: Instant::now(),
            at_once: 0,
            status: 0,
        }
    }
}
