//! One request after the other, as GitHub asks for
//! (<https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api>).

use std::cell::Cell;
use std::time::Duration;

use chrono::{DateTime, Utc};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use octocrab::Octocrab;

use super::{Budget, GitHubError, Token};
use crate::http::{Client, HttpError};

/// The longest that a request waits by itself, in seconds, where GitHub says how long.
const PATIENCE: u64 = 20;
/// What is waited for where it does not say, as its documentation asks for.
const UNTOLD: u64 = 60;

/// A question to the API.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The path and query, from `/` on.
    pub route: &'a str,
    /// The media type; GitHub's JSON where none is given.
    pub accept: Option<&'static str>,
    /// The ETag of an earlier answer.
    pub etag: Option<&'a str>,
    /// The most bytes that are read.
    pub limit: usize,
}

/// An answer: 200, or 304 where an ETag was given.
#[derive(Debug, Clone)]
pub struct Reply {
    /// What was asked.
    pub url: String,
    /// The body; none where nothing is newer.
    pub body: Option<Vec<u8>>,
    /// Its ETag.
    pub etag: Option<String>,
    /// The URL of the next page.
    pub next: Option<String>,
    /// The URL of the last page, where the host says it.
    pub last: Option<String>,
    /// When it had come.
    pub obtained: DateTime<Utc>,
}

/// GitHub's API.
pub struct Api<'a> {
    client: &'a Client,
    octocrab: Octocrab,
    base: String,
    token: Option<Token>,
    budget: Cell<Budget>,
    limited: Cell<bool>,
}

impl<'a> Api<'a> {
    /// The API at a base URL, asked with a token where there is one.
    ///
    /// # Errors
    /// Where the base is no URL.
    pub fn new(client: &'a Client, base: &str, token: Option<Token>) -> Result<Self, GitHubError> {
        let wrong = |e: octocrab::Error| HttpError::Url { url: base.to_owned(), why: told(&e) };
        let mut builder = Octocrab::builder().base_uri(base).map_err(wrong)?;
        if let Some(token) = &token {
            builder = builder.personal_token(token.secret().to_owned());
        }
        // octocrab's worker runs on the client's runtime.
        let runtime = client.runtime().enter();
        let octocrab = builder.build_with_reqwest(client.reqwest().clone()).map_err(wrong)?;
        drop(runtime);
        Ok(Api {
            client,
            octocrab,
            base: base.to_owned(),
            token,
            budget: Cell::default(),
            limited: Cell::default(),
        })
    }

    /// The requests so far, and what is left.
    pub fn budget(&self) -> Budget {
        self.budget.get()
    }

    /// Whether GitHub asked this run to stop for longer than it waits by itself.
    pub fn is_limited(&self) -> bool {
        self.limited.get()
    }

    /// The URL of a route.
    pub fn url(&self, route: &str) -> String {
        format!("{}{route}", self.base)
    }

    /// The route of a URL that this host gave; `None` for another host's.
    pub(super) fn route(&self, url: &str) -> Option<String> {
        url.strip_prefix(&self.base).filter(|route| route.starts_with('/')).map(str::to_owned)
    }

    /// Whether it is asked with a token.
    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Asks, and asks again where that helps and is allowed.
    ///
    /// # Errors
    /// Limits, statuses that are no answer, and answers that did not come whole.
    pub fn get(&self, asked: &Asked<'_>) -> Result<Reply, GitHubError> {
        let settings = self.client.settings();
        let mut pause = settings.backoff;
        let mut tried = 0;
        loop {
            tried += 1;
            let error = match self.client.runtime().block_on(self.attempt(asked)) {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let wait = match &error {
                GitHubError::Wait { seconds } if *seconds <= PATIENCE => {
                    Duration::from_secs(*seconds)
                }
                GitHubError::Http(http) if http.may_pass() => {
                    let now = pause;
                    pause *= 2;
                    now
                }
                _ => {
                    let limits =
                        matches!(error, GitHubError::Wait { .. } | GitHubError::Limited { .. });
                    self.limited.set(self.limited.get() || limits);
                    return Err(error);
                }
            };
            if tried >= settings.attempts {
                return Err(error);
            }
            std::thread::sleep(wait);
        }
    }

    async fn attempt(&self, asked: &Asked<'_>) -> Result<Reply, GitHubError> {
        let url = self.url(asked.route);
        let mut headers = HeaderMap::new();
        let accept = asked.accept.unwrap_or("application/vnd.github+json");
        headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
        headers.insert("x-github-api-version", HeaderValue::from_static("2022-11-28"));
        if let Some(etag) = asked.etag.and_then(|etag| HeaderValue::from_str(etag).ok()) {
            headers.insert(header::IF_NONE_MATCH, etag);
        }
        let mut budget = self.budget.get();
        budget.requests += 1;
        budget.conditional += u64::from(asked.etag.is_some());
        self.budget.set(budget);
        let whole = self.client.settings().whole;
        let answer = tokio::time::timeout(whole, async {
            let response = self.octocrab._get_with_headers(asked.route, Some(headers)).await;
            let response = response.map_err(|e| broken(&url, &e))?;
            let (parts, body) = response.into_parts();
            let body = match Limited::new(body, asked.limit).collect().await {
                Ok(body) => body.to_bytes().to_vec(),
                Err(e) if e.is::<LengthLimitError>() => {
                    return Err(HttpError::TooLarge { url: url.clone(), limit: asked.limit }.into());
                }
                Err(e) => {
                    return Err(HttpError::Broken { url: url.clone(), why: e.to_string() }.into());
                }
            };
            Ok::<_, GitHubError>((parts, body))
        });
        let (parts, body) = answer.await.map_err(|_| HttpError::Slow { url: url.clone() })??;
        budget.heed(&parts.headers);
        self.budget.set(budget);
        let text =
            |name: header::HeaderName| Some(parts.headers.get(name)?.to_str().ok()?.to_owned());
        let (etag, link) = (text(header::ETAG), text(header::LINK));
        let reply = |body| Reply {
            url: url.clone(),
            body,
            etag,
            next: link.as_deref().and_then(|link| linked_page(link, "next")),
            last: link.as_deref().and_then(|link| linked_page(link, "last")),
            obtained: Utc::now(),
        };
        match parts.status {
            StatusCode::OK => Ok(reply(Some(body))),
            StatusCode::NOT_MODIFIED if asked.etag.is_some() => Ok(reply(None)),
            status => Err(self.refusal(url, status, &parts.headers, &body)),
        }
    }

    /// What a status other than 200 means.
    fn refusal(
        &self,
        url: String,
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
    ) -> GitHubError {
        let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<u64>().ok();
        if status.is_server_error() {
            return HttpError::Status { url, status: status.as_u16(), after: String::new() }.into();
        }
        let said: Option<serde_json::Value> = serde_json::from_slice(body).ok();
        let message = said
            .as_ref()
            .and_then(|value| value.get("message")?.as_str())
            .unwrap_or("no message")
            .chars()
            .take(300)
            .collect::<String>();
        if matches!(status, StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS) {
            if let Some(seconds) = number("retry-after") {
                return GitHubError::Wait { seconds };
            }
            if number("x-ratelimit-remaining") == Some(0)
                && let Some(reset) = number("x-ratelimit-reset").and_then(|s| i64::try_from(s).ok())
                && let Some(reset) = DateTime::from_timestamp(reset, 0)
            {
                let hint = match &self.token {
                    Some(_) => "",
                    None => " (5,000 with a token in GH_TOKEN)",
                };
                let limit = number("x-ratelimit-limit").unwrap_or_default();
                return GitHubError::Limited { limit, reset, hint };
            }
            if status == StatusCode::TOO_MANY_REQUESTS || message.contains("secondary rate limit") {
                return GitHubError::Wait { seconds: UNTOLD };
            }
        }
        match (&self.token, status) {
            (Some(token), StatusCode::UNAUTHORIZED) => {
                GitHubError::BadToken { place: token.place() }
            }
            _ => GitHubError::Status { url, status: status.as_u16(), message },
        }
    }
}

/// The page that a `Link` header calls so.
fn linked_page(link: &str, rel: &str) -> Option<String> {
    let rel = format!("rel=\"{rel}\"");
    link.split(',').find_map(|one| {
        let (url, rest) = one.trim().strip_prefix('<')?.split_once('>')?;
        rest.contains(&rel).then(|| url.to_owned())
    })
}

fn broken(url: &str, error: &octocrab::Error) -> GitHubError {
    let url = url.to_owned();
    let why = told(error);
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(one) = cause {
        if let Some(reqwest) = one.downcast_ref::<reqwest::Error>() {
            if reqwest.is_timeout() {
                return HttpError::Slow { url }.into();
            }
            if reqwest.is_redirect() {
                return HttpError::Redirect { url, how: why }.into();
            }
            if reqwest.is_connect() {
                return HttpError::Unreachable { url, why }.into();
            }
        }
        cause = one.source();
    }
    HttpError::Broken { url, why }.into()
}

/// The innermost cause, which says most.
fn told(error: &octocrab::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_next_page_is_next() {
        let link = r#"<https://a/repositories/1/x?page=1>; rel="prev", <https://a/repositories/1/x?page=3>; rel="next""#;
        assert_eq!(linked_page(link, "next").as_deref(), Some("https://a/repositories/1/x?page=3"));
        assert_eq!(linked_page("<https://a>; rel=\"last\"", "next"), None);
        assert_eq!(linked_page("<https://a>; rel=\"last\"", "last").as_deref(), Some("https://a"));
    }

    proptest::proptest! {
        #[test]
        fn never_panics(link in "\\PC{0,60}") {
            let _ = linked_page(&link, "next");
        }
    }
}
