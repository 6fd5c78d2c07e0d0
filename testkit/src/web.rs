//! GitHub's web host: pages, feeds, files of releases, and git over HTTP.

use std::process::Stdio;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, OriginalUri, Path, RawPathParams, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::stream;
use http_body_util::BodyExt;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

use crate::downloads;
use crate::git::command;
use crate::github::{Found, Repo, Shared, newest_final, sorted};
use crate::host::text;

/// A mark of ours on a request: the git server shall not offer filters.
pub(crate) const NO_FILTER: &str = "x-testkit-no-filter";
const HTML: &str = "text/html; charset=utf-8";

/// The web host.
pub(crate) fn router(world: Shared) -> Router {
    Router::new()
        .route("/{owner}/{repo}", get(page))
        .route("/{owner}/{repo}/releases.atom", get(feed))
        .route("/{owner}/{repo}/releases/latest", get(latest))
        .route("/{owner}/{repo}/releases/tag/{tag}", get(page))
        .route("/{owner}/{repo}/releases/download/{tag}/{name}", get(asset))
        .route("/{owner}/{repo}/compare/{name}", get(downloads::range))
        .route("/{owner}/{repo}/commit/{name}", get(downloads::commit))
        .route("/{owner}/{repo}/archive/{name}", get(downloads::archive))
        .route("/{owner}/{repo}/info/refs", get(smart))
        .route("/{owner}/{repo}/git-upload-pack", post(smart))
        .fallback(async || missing())
        .with_state(world)
}

pub(crate) fn missing() -> Response {
    text(404, HTML, "<html><title>Page not found</title></html>".to_owned())
}

/// The repository of a page, or a redirect to where it is now.
pub(crate) struct Asked(pub Repo);

impl FromRequestParts<Shared> for Asked {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, world: &Shared) -> Result<Self, Response> {
        let params = RawPathParams::from_request_parts(parts, world).await;
        let params = params.map_err(|_| missing())?;
        let param = |wanted: &str| {
            params.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.to_owned())
        };
        let (owner, full) = param("owner").zip(param("repo")).ok_or_else(missing)?;
        let name = full.strip_suffix(".git").unwrap_or(&full);
        match Found::by_name(world, &owner, name) {
            Found::Here(repo) => Ok(Asked(*repo)),
            Found::Nowhere => Err(missing()),
            Found::Moved(repo) => {
                let whole = parts.uri.path_and_query().map_or("", |p| p.as_str());
                let rest = whole.strip_prefix(&format!("/{owner}/{full}")).unwrap_or_default();
                let dot_git = if full == name { "" } else { ".git" };
                let to = format!("{}{dot_git}{rest}", repo.page(world));
                Err(redirect(StatusCode::MOVED_PERMANENTLY, &to))
            }
        }
    }
}

fn redirect(status: StatusCode, to: &str) -> Response {
    let mut response = (status, "").into_response();
    if let Ok(to) = HeaderValue::from_str(to) {
        response.headers_mut().insert(header::LOCATION, to);
    }
    response
}

pub(crate) async fn page(Asked(repo): Asked, OriginalUri(uri): OriginalUri) -> Response {
    let title = escape(&format!("{} {}", repo.full_name(), uri.path()));
    text(200, HTML, format!("<!DOCTYPE html><html><title>{title}</title></html>"))
}

async fn latest(State(world): State<Shared>, Asked(repo): Asked) -> Response {
    match newest_final(&repo) {
        Some(newest) => {
            let to = format!("{}/releases/tag/{}", repo.page(&world), newest.tag);
            redirect(StatusCode::FOUND, &to)
        }
        None => missing(),
    }
}

async fn asset(Asked(repo): Asked, Path(params): Path<Vec<(String, String)>>) -> Response {
    let param = |wanted: &str| {
        params.iter().find(|(name, _)| name == wanted).map_or("", |(_, value)| value.as_str())
    };
    let release = repo.releases.iter().find(|one| one.tag == param("tag"));
    let file = release.and_then(|one| one.assets.iter().find(|(name, _)| name == param("name")));
    match file {
        Some((_, content)) => text(200, "application/octet-stream", content.clone()),
        None => missing(),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The releases feed: the ten newest entries.
async fn feed(State(world): State<Shared>, Asked(repo): Asked) -> Response {
    let page = repo.page(&world);
    let all = sorted(&repo);
    let updated = all.first().map_or("2026-01-01T00:00:00Z", |one| one.published.as_str());
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"en-US\">\n  <id>tag:github.com,2008:{page}/releases</id>\n  <link type=\"text/html\" rel=\"alternate\" href=\"{page}/releases\"/>\n  <link type=\"application/atom+xml\" rel=\"self\" href=\"{page}/releases.atom\"/>\n  <title>Release notes from {}</title>\n  <updated>{updated}</updated>\n",
        repo.name
    );
    for one in all.iter().take(10) {
        // Notes stand in the feed as HTML, escaped once more.
        let html = format!("<p>{}</p>", escape(&one.body).replace('\n', "<br>\n"));
        out.push_str(&format!(
            "  <entry>\n    <id>tag:github.com,2008:Repository/{}/{tag}</id>\n    <updated>{}</updated>\n    <link rel=\"alternate\" type=\"text/html\" href=\"{page}/releases/tag/{tag}\"/>\n    <title>{}</title>\n    <content type=\"html\">{}</content>\n    <author>\n      <name>{}</name>\n    </author>\n  </entry>\n",
            repo.id,
            one.published,
            escape(&one.name),
            escape(&html),
            repo.owner,
            tag = escape(&one.tag),
        ));
    }
    out.push_str("</feed>\n");
    text(200, "application/atom+xml; charset=utf-8", out)
}

/// Git's smart protocol, by git's own CGI program.
async fn smart(Asked(repo): Asked, request: Request) -> Response {
    match backend(&repo, request).await {
        Ok(response) => response,
        Err(why) => text(500, "text/plain; charset=utf-8", format!("git http-backend: {why}")),
    }
}

async fn backend(repo: &Repo, request: Request) -> std::io::Result<Response> {
    let headers = request.headers().clone();
    let uri = request.uri().clone();
    let service = if uri.path().ends_with("/info/refs") { "info/refs" } else { "git-upload-pack" };
    let root = repo.path.parent().unwrap_or(&repo.path);
    let name = repo.path.file_name().unwrap_or_default().to_string_lossy();
    let filter = !headers.contains_key(NO_FILTER);
    let header = |name: HeaderName| {
        headers.get(name).and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned()
    };
    let mut git = command(root);
    git.args(["-c", "safe.directory=*", "-c", "uploadpack.allowAnySHA1InWant=true"])
        .args(["-c", &format!("uploadpack.allowFilter={filter}")])
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("PATH_INFO", format!("/{name}/{service}"))
        .env("REQUEST_METHOD", request.method().as_str())
        .env("QUERY_STRING", uri.query().unwrap_or_default())
        .env("CONTENT_TYPE", header(header::CONTENT_TYPE))
        .env("CONTENT_LENGTH", header(header::CONTENT_LENGTH))
        .env("HTTP_CONTENT_ENCODING", header(header::CONTENT_ENCODING))
        .env("GIT_PROTOCOL", header(HeaderName::from_static("git-protocol")))
        .env("REMOTE_ADDR", "127.0.0.1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = git.spawn()?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(std::io::Error::other("no pipes"));
    };
    let mut body = request.into_body();
    tokio::spawn(async move {
        while let Some(Ok(frame)) = body.frame().await {
            if let Some(data) = frame.data_ref()
                && input.write_all(data).await.is_err()
            {
                break;
            }
        }
    });
    let mut output = BufReader::new(output);
    let (status, headers) = head(&mut output).await?;
    // The child lives as long as the stream that reads it.
    let chunks = stream::unfold((output, child), |(mut output, child)| async move {
        let mut chunk = vec![0; 64 * 1024];
        match output.read(&mut chunk).await {
            Ok(0) => None,
            Ok(n) => {
                chunk.truncate(n);
                Some((Ok(Bytes::from(chunk)), (output, child)))
            }
            Err(why) => Some((Err(why), (output, child))),
        }
    });
    let mut response = Response::new(Body::from_stream(chunks));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Ok(response)
}

/// The head of a CGI answer.
async fn head(
    output: &mut (impl tokio::io::AsyncBufRead + Unpin),
) -> std::io::Result<(StatusCode, HeaderMap)> {
    let (mut status, mut headers) = (StatusCode::OK, HeaderMap::new());
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).await? == 0 {
            return Err(std::io::Error::other("it ended before its answer"));
        }
        let line = line.trim_end();
        let Some((name, value)) = line.split_once(": ") else {
            return Ok((status, headers));
        };
        if name.eq_ignore_ascii_case("status") {
            let code = value.split(' ').next().and_then(|code| code.parse().ok());
            status = code.and_then(|code| StatusCode::from_u16(code).ok()).unwrap_or(status);
        } else if let (Ok(name), Ok(value)) =
            (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value))
        {
            headers.insert(name, value);
        }
    }
}
