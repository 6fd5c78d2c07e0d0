//! The client: one TLS stack, limits on everything, a few tries.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::{Method, StatusCode, Url, header, redirect};
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio::runtime::Runtime;

use super::HttpError;

/// How patient a client is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// How long a connection may take.
    pub connect: Duration,
    /// How long a host may say nothing.
    pub read: Duration,
    /// How long one answer may take as a whole.
    pub whole: Duration,
    /// How often a request is tried.
    pub attempts: u32,
    /// The pause before the second try; each further one doubles it.
    pub backoff: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            connect: Duration::from_secs(10),
            read: Duration::from_secs(30),
            whole: Duration::from_secs(120),
            attempts: 3,
            backoff: Duration::from_millis(300),
        }
    }
}

/// One question to a host.
#[derive(Debug, Clone)]
pub struct Request {
    url: String,
    accept: &'static str,
    bearer: Option<String>,
    etag: Option<String>,
    json: Option<String>,
    limit: usize,
    once: bool,
}

impl Request {
    /// `GET` of a URL, of which at most so many bytes are read.
    pub fn get(url: impl Into<String>, limit: usize) -> Self {
        Request {
            url: url.into(),
            accept: "*/*",
            bearer: None,
            etag: None,
            json: None,
            limit,
            once: false,
        }
    }

    /// `POST` of a JSON document.
    #[must_use]
    pub fn post(mut self, json: String) -> Self {
        self.json = Some(json);
        self
    }

    /// Asks for this media type.
    #[must_use]
    pub fn accept(mut self, kind: &'static str) -> Self {
        self.accept = kind;
        self
    }

    /// Shows a token. It goes to this host only, never to where it redirects.
    #[must_use]
    pub fn bearer(mut self, token: Option<&str>) -> Self {
        self.bearer = token.map(str::to_owned);
        self
    }

    /// Asks only for what is newer than the answer with this ETag.
    #[must_use]
    pub fn unless(mut self, etag: Option<&str>) -> Self {
        self.etag = etag.map(str::to_owned);
        self
    }

    /// Tries once only: for hosts that are there or are not.
    #[must_use]
    pub fn once(mut self) -> Self {
        self.once = true;
        self
    }
}

/// What a host answered: any status below 500 but 429.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The URL that was asked, without its query.
    pub url: String,
    /// The status.
    pub status: u16,
    /// The body, whole.
    pub body: Vec<u8>,
    /// When it had come.
    pub obtained: DateTime<Utc>,
    headers: header::HeaderMap,
}

impl Answer {
    /// Whether nothing is newer than what was asked with.
    pub fn is_unchanged(&self) -> bool {
        self.status == StatusCode::NOT_MODIFIED.as_u16()
    }

    /// A header's text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The ETag.
    pub fn etag(&self) -> Option<&str> {
        self.header("etag")
    }

    /// This as an error, where its status is no answer to what was asked.
    pub fn refused(&self) -> HttpError {
        HttpError::Status { url: self.url.clone(), status: self.status, after: String::new() }
    }
}

/// A client for every host.
pub struct Client {
    inner: reqwest::Client,
    runtime: Runtime,
    settings: Settings,
}

impl Client {
    /// A client of this patience.
    ///
    /// # Errors
    /// Where the machine has no certificates, or no network at all.
    pub fn new(settings: Settings) -> Result<Self, HttpError> {
        let setup = |e: &dyn std::fmt::Display| HttpError::Setup(e.to_string());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|e| setup(&e))?
            .with_platform_verifier()
            .map_err(|e| setup(&e))?
            .with_no_client_auth();
        let inner = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .user_agent(concat!("headwater/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(settings.connect)
            .read_timeout(settings.read)
            .timeout(settings.whole)
            .redirect(redirect::Policy::custom(follow))
            .build()
            .map_err(|e| setup(&e))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|e| setup(&e))?;
        Ok(Client { inner, runtime, settings })
    }

    /// The reqwest client behind it, for libraries that bring their own requests.
    pub(crate) fn reqwest(&self) -> &reqwest::Client {
        &self.inner
    }

    /// The runtime on which its requests run.
    pub(crate) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// How patient it is.
    pub(crate) fn settings(&self) -> Settings {
        self.settings
    }

    /// Asks, and asks again where that may help.
    ///
    /// # Errors
    /// Where nothing whole came. A status like 404 is an [`Answer`].
    pub fn send(&self, request: &Request) -> Result<Answer, HttpError> {
        self.runtime.block_on(self.send_async(request))
    }

    /// The same, for callers that wait for several.
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn send_async(&self, request: &Request) -> Result<Answer, HttpError> {
        let attempts = if request.once { 1 } else { self.settings.attempts.max(1) };
        let mut pause = self.settings.backoff;
        let mut tried = 0;
        loop {
            tried += 1;
            match self.attempt(request).await {
                Err(error) if error.may_pass() && tried < attempts => {
                    tokio::time::sleep(pause).await;
                    pause *= 2;
                }
                done => return done,
            }
        }
    }

    async fn attempt(&self, request: &Request) -> Result<Answer, HttpError> {
        let address = Url::parse(&request.url)
            .map_err(|e| HttpError::Url { url: request.url.clone(), why: e.to_string() })?;
        let url = plain(&address);
        let method = if request.json.is_some() { Method::POST } else { Method::GET };
        let mut builder =
            self.inner.request(method, address).header(header::ACCEPT, request.accept);
        if let Some(token) = &request.bearer {
            builder = builder.bearer_auth(token);
        }
        if let Some(etag) = &request.etag {
            builder = builder.header(header::IF_NONE_MATCH, etag);
        }
        if let Some(json) = &request.json {
            builder = builder.header(header::CONTENT_TYPE, "application/json").body(json.clone());
        }
        let mut response = builder.send().await.map_err(|e| told(&url, e))?;
        let status = response.status();
        if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
            let after = response.headers().get(header::RETRY_AFTER).and_then(|v| v.to_str().ok());
            let after = after.and_then(|text| text.parse::<u32>().ok());
            let after = after.map_or_else(String::new, |s| format!("; try again in {s} seconds"));
            return Err(HttpError::Status { url, status: status.as_u16(), after });
        }
        if status.is_redirection() && status != StatusCode::NOT_MODIFIED {
            return Err(HttpError::Redirect { url, how: "to nowhere".to_owned() });
        }
        let headers = response.headers().clone();
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|e| told(&url, e))? {
            if body.len() + chunk.len() > request.limit {
                return Err(HttpError::TooLarge { url, limit: request.limit });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Answer { url, status: status.as_u16(), body, obtained: Utc::now(), headers })
    }
}

/// A few redirects, and none from an encrypted place to one that is not.
fn follow(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let last = attempt.previous().last();
    if attempt.previous().len() > 5 {
        return attempt.error("without end");
    }
    if last.is_some_and(|url| url.scheme() == "https") && attempt.url().scheme() != "https" {
        return attempt.error("from https to a place without");
    }
    attempt.follow()
}

/// A URL without its query, which may be signed.
fn plain(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}

fn told(url: &str, error: reqwest::Error) -> HttpError {
    let url = url.to_owned();
    // The innermost cause says most; reqwest's own words repeat the URL with its query.
    let mut cause: &dyn std::error::Error = &error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    let why = if error.source().is_some() { cause.to_string() } else { String::new() };
    if error.is_timeout() {
        HttpError::Slow { url }
    } else if error.is_redirect() {
        HttpError::Redirect { url, how: why }
    } else if error.is_connect() {
        HttpError::Unreachable { url, why }
    } else {
        let why = if why.is_empty() { "it is no HTTP".to_owned() } else { why };
        HttpError::Broken { url, why }
    }
}

#[cfg(test)]
mod tests {
    use headwater_testkit::{Fault, Host, Rule, Testkit};

    use super::*;

    fn quick() -> Client {
        Client::new(Settings {
            read: Duration::from_millis(400),
            whole: Duration::from_millis(1200),
            backoff: Duration::from_millis(5),
            ..Settings::default()
        })
        .unwrap()
    }

    fn version(kit: &Testkit) -> Request {
        Request::get(format!("{}/api/version", kit.url(Host::Ollama)), 1000)
    }

    #[test]
    fn a_failing_host_is_asked_again_and_no_more_than_that() {
        let kit = Testkit::start().unwrap();
        let client = quick();
        kit.fault(Rule::new(Host::Ollama, Fault::Status(502)).times(1));
        kit.fault(Rule::new(Host::Ollama, Fault::Reset).times(1));
        let answer = client.send(&version(&kit)).unwrap();
        assert_eq!((answer.status, kit.count(Host::Ollama)), (200, 3));
        kit.fault(Rule::new(Host::Ollama, Fault::Status(503)));
        kit.clear_log();
        let error = client.send(&version(&kit)).unwrap_err();
        assert!(matches!(error, HttpError::Status { status: 503, .. }), "{error}");
        assert_eq!(kit.count(Host::Ollama), 3);
        kit.clear_log();
        client.send(&version(&kit).once()).unwrap_err();
        assert_eq!(kit.count(Host::Ollama), 1);
    }

    #[test]
    fn nothing_is_read_without_end() {
        let kit = Testkit::start().unwrap();
        let client = quick();
        let fails = |fault: Fault| {
            kit.mend();
            kit.fault(Rule::new(Host::Ollama, fault));
            client.send(&version(&kit)).unwrap_err()
        };
        let endless = fails(Fault::Endless);
        assert!(matches!(endless, HttpError::TooLarge { limit: 1000, .. }), "{endless}");
        let dripping = fails(Fault::Drip(Duration::from_millis(300)));
        assert!(matches!(dripping, HttpError::Slow { .. }), "{dripping}");
        let slow = fails(Fault::Slow(Duration::from_secs(2)));
        assert!(matches!(slow, HttpError::Slow { .. }), "{slow}");
        let circling = fails(Fault::RedirectLoop);
        assert!(matches!(circling, HttpError::Redirect { .. }), "{circling}");
        let cut = fails(Fault::Truncate(3));
        assert!(matches!(cut, HttpError::Broken { .. }), "{cut}");
    }

    #[test]
    fn a_host_that_takes_no_connection_is_given_up() {
        // One place to wait in, which is taken: a further connection hangs as it is made.
        let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None);
        let socket = socket.unwrap();
        let any: std::net::SocketAddr = "127.0.0.1:0".parse().unwrap();
        socket.bind(&any.into()).unwrap();
        socket.listen(0).unwrap();
        let address = socket.local_addr().unwrap().as_socket().unwrap();
        let _waiting = std::net::TcpStream::connect(address).unwrap();
        let settings = Settings {
            connect: Duration::from_millis(200),
            backoff: Duration::from_millis(5),
            ..Settings::default()
        };
        let client = Client::new(settings).unwrap();
        let error = client.send(&Request::get(format!("http://{address}/"), 10)).unwrap_err();
        assert!(matches!(error, HttpError::Slow { .. }), "{error}");
    }

    #[test]
    fn what_is_not_there_is_an_answer_and_nobody_there_is_an_error() {
        let kit = Testkit::start().unwrap();
        let url = format!("{}/nothing?signature=secret", kit.url(Host::Ollama));
        let answer = quick().send(&Request::get(url, 1000)).unwrap();
        assert_eq!(answer.status, 404);
        assert!(!answer.url.contains("secret"));
        let error = quick().send(&Request::get("http://127.0.0.1:1/x?secret", 10)).unwrap_err();
        assert!(matches!(error, HttpError::Unreachable { .. }), "{error}");
        assert!(!error.to_string().contains("secret"), "{error}");
        let error = quick().send(&Request::get("not a url", 10)).unwrap_err();
        assert!(matches!(error, HttpError::Url { .. }), "{error}");
    }
}
