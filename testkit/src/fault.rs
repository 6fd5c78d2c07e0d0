//! What can go wrong between two machines, on purpose.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use chrono::Utc;

use crate::host::{Host, broken_body, collected, text};

/// One way to fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// This status with an HTML page, as a proxy in front of a service answers.
    Status(u16),
    /// GitHub's secondary limit: 403 (or 429), with or without `retry-after` seconds.
    SecondaryLimit {
        /// 403 or 429.
        status: u16,
        /// The seconds that the header asks for.
        retry_after: Option<u64>,
    },
    /// GitHub's primary limit: nothing remains until so many seconds from now.
    PrimaryLimit {
        /// Seconds until `x-ratelimit-reset`.
        reset_in: i64,
    },
    /// The connection is reset before any answer.
    Reset,
    /// The answer's head promises the whole body, which breaks off after so many bytes.
    Truncate(usize),
    /// A status of 200 with this content type and body, whatever was asked.
    Instead {
        /// The content type.
        kind: &'static str,
        /// The body.
        body: String,
    },
    /// The answer comes late.
    Slow(Duration),
    /// The head comes at once, then one byte in each of these intervals.
    Drip(Duration),
    /// Every answer redirects to the same place again.
    RedirectLoop,
    /// A redirect to another place, on whatever host.
    RedirectTo(String),
    /// One byte of the body is another.
    Corrupt,
    /// The host lies: this text of the body is another text.
    Replace {
        /// What the true answer says.
        from: String,
        /// What is said instead.
        to: String,
    },
    /// In an answer in JSON, every value of this name is null.
    Null(&'static str),
    /// A body of spaces that never ends.
    Endless,
    /// The git server does not offer filters.
    NoFilter,
}

/// When a fault strikes.
#[derive(Debug, Clone)]
pub struct Rule {
    host: Host,
    path: String,
    skip: usize,
    times: Option<usize>,
    fault: Fault,
}

impl Rule {
    /// A fault of every request to a host.
    pub fn new(host: Host, fault: Fault) -> Self {
        Rule { host, path: String::new(), skip: 0, times: None, fault }
    }

    /// Only for targets (path and query) that hold this text.
    #[must_use]
    pub fn path(mut self, part: &str) -> Self {
        part.clone_into(&mut self.path);
        self
    }

    /// Only after so many requests that went well.
    #[must_use]
    pub fn skip(mut self, requests: usize) -> Self {
        self.skip = requests;
        self
    }

    /// Only so many times.
    #[must_use]
    pub fn times(mut self, times: usize) -> Self {
        self.times = Some(times);
        self
    }

    /// The fault that this request meets, if this rule has one for it.
    pub(crate) fn strike(&mut self, host: Host, target: &str) -> Option<Fault> {
        if host != self.host || !target.contains(&self.path) {
            return None;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return None;
        }
        if let Some(left) = &mut self.times {
            *left = left.checked_sub(1)?;
        }
        Some(self.fault.clone())
    }
}

impl Fault {
    /// The answer that stands in the place of the real one, where the fault has one.
    pub(crate) fn instead(&self, target: &str) -> Option<Response> {
        Some(match self {
            Fault::Status(status) => text(
                *status,
                "text/html; charset=utf-8",
                format!("<html><head><title>{status}</title></head><body>Unicorn!</body></html>"),
            ),
            Fault::SecondaryLimit { status, retry_after } => {
                let mut response = text(
                    *status,
                    "application/json; charset=utf-8",
                    "{\"message\":\"You have exceeded a secondary rate limit. Please wait a few minutes before you try again.\",\"documentation_url\":\"https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits\"}".to_owned(),
                );
                if let Some(seconds) = retry_after {
                    set(&mut response, "retry-after", &seconds.to_string());
                }
                response
            }
            Fault::PrimaryLimit { reset_in } => {
                let mut response = text(
                    403,
                    "application/json; charset=utf-8",
                    "{\"message\":\"API rate limit exceeded for 127.0.0.1.\",\"documentation_url\":\"https://docs.github.com/rest/overview/resources-in-the-rest-api#rate-limiting\"}".to_owned(),
                );
                let reset = (Utc::now().timestamp() + reset_in).to_string();
                set(&mut response, "x-ratelimit-limit", "60");
                set(&mut response, "x-ratelimit-remaining", "0");
                set(&mut response, "x-ratelimit-used", "60");
                set(&mut response, "x-ratelimit-reset", &reset);
                set(&mut response, "x-ratelimit-resource", "core");
                response
            }
            Fault::Instead { kind, body } => text(200, kind, body.clone()),
            Fault::RedirectLoop => redirect(target),
            Fault::RedirectTo(place) => redirect(place),
            Fault::Endless => {
                let mut response = text(200, "application/json; charset=utf-8", String::new());
                let spaces = futures_util::stream::repeat(Bytes::from_static(&[b' '; 65536]));
                let chunks = futures_util::StreamExt::map(spaces, Ok::<Bytes, std::io::Error>);
                *response.body_mut() = Body::from_stream(chunks);
                response.headers_mut().remove(header::CONTENT_LENGTH);
                response
            }
            _ => return None,
        })
    }
}

/// Makes every value of this name null.
fn nullify(value: &mut serde_json::Value, name: &str) {
    match value {
        serde_json::Value::Object(fields) => {
            for (key, field) in fields {
                if key == name {
                    *field = serde_json::Value::Null;
                } else {
                    nullify(field, name);
                }
            }
        }
        serde_json::Value::Array(all) => all.iter_mut().for_each(|one| nullify(one, name)),
        _ => {}
    }
}

fn redirect(place: &str) -> Response {
    let mut response = text(302, "text/plain; charset=utf-8", String::new());
    set(&mut response, "location", place);
    response
}

fn set(response: &mut Response, name: &'static str, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

/// What a fault does to an answer on its way.
pub(crate) async fn after_headers(fault: Fault, response: Response) -> Response {
    match fault {
        Fault::Truncate(keep) => {
            let (parts, body) = collected(response).await;
            let kept = body.slice(..keep.min(body.len()));
            let promised = body.len().max(kept.len() + 1);
            broken_body(Response::from_parts(parts, Body::empty()), vec![kept], promised)
        }
        Fault::Drip(pause) => {
            let (parts, body) = collected(response).await;
            let stream = futures_util::stream::unfold(body, move |mut left| async move {
                if left.is_empty() {
                    return None;
                }
                tokio::time::sleep(pause).await;
                Some((Ok::<Bytes, std::convert::Infallible>(left.split_to(1)), left))
            });
            Response::from_parts(parts, Body::from_stream(stream))
        }
        Fault::Null(name) => {
            rewritten(response, |bytes| {
                let Ok(mut value) = serde_json::from_slice::<serde_json::Value>(&bytes) else {
                    return bytes;
                };
                nullify(&mut value, name);
                serde_json::to_vec(&value).unwrap_or(bytes)
            })
            .await
        }
        Fault::Corrupt => {
            rewritten(response, |mut bytes| {
                if let Some(byte) = bytes.last_mut() {
                    *byte ^= 1;
                }
                bytes
            })
            .await
        }
        Fault::Replace { from, to } => {
            rewritten(response, |bytes| {
                String::from_utf8_lossy(&bytes).replace(&from, &to).into_bytes()
            })
            .await
        }
        _ => response,
    }
}

async fn rewritten(response: Response, change: impl FnOnce(Vec<u8>) -> Vec<u8>) -> Response {
    let (mut parts, body) = collected(response).await;
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(change(body.to_vec())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_strikes_where_and_as_often_as_it_says() {
        let mut rule = Rule::new(Host::Api, Fault::Reset).path("/compare/").skip(1).times(2);
        assert_eq!(rule.strike(Host::Web, "/repos/o/r/compare/a...b"), None);
        assert_eq!(rule.strike(Host::Api, "/repos/o/r/tags"), None);
        let hits: Vec<bool> =
            (0..4).map(|_| rule.strike(Host::Api, "/repos/o/r/compare/a...b").is_some()).collect();
        assert_eq!(hits, [false, true, true, false]);
    }
}
