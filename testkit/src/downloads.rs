//! What the web host gives to download: patches of a commit or a range, and archives.

use axum::body::Body;
use axum::extract::{OriginalUri, Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::github::{Repo, Shared};
use crate::host::text;
use crate::web::{Asked, missing, page};

const PLAIN: &str = "text/plain; charset=utf-8";

fn named(params: &[(String, String)]) -> &str {
    params.iter().find(|(key, _)| key == "name").map_or("", |(_, value)| value.as_str())
}

/// `/{owner}/{repo}/compare/{base}...{head}`, as a page, `.patch` or `.diff`.
pub(crate) async fn range(
    State(world): State<Shared>,
    Asked(repo): Asked,
    Path(params): Path<Vec<(String, String)>>,
    uri: OriginalUri,
) -> Response {
    let name = named(&params);
    let Some((range, kind)) = split(name) else { return page(Asked(repo), uri).await };
    let git = repo.git();
    let Some((base, head)) = range.split_once("...") else { return missing() };
    let (Some(base), Some(head)) = (git.resolve(base).await, git.resolve(head).await) else {
        return missing();
    };
    let Some(from) = git.text(&["merge-base", &base, &head]).await else { return missing() };
    let body = match kind {
        "diff" => git.diff(Some(&from), &head).await,
        _ => mails(&repo, &[&format!("{base}..{head}")]).await,
    };
    whole(&world, body)
}

/// `/{owner}/{repo}/commit/{sha}`, as a page, `.patch` or `.diff`.
pub(crate) async fn commit(
    State(world): State<Shared>,
    Asked(repo): Asked,
    Path(params): Path<Vec<(String, String)>>,
    uri: OriginalUri,
) -> Response {
    let name = named(&params);
    let Some((name, kind)) = split(name) else { return page(Asked(repo), uri).await };
    let git = repo.git();
    let Some(sha) = git.resolve(name).await else { return missing() };
    let parents = git.commit(&sha).await.map(|commit| commit.parents).unwrap_or_default();
    let body = match kind {
        "diff" => git.diff(parents.first().map(String::as_str), &sha).await,
        // What comes of a merge is not documented: nobody shall rely on it.
        _ if parents.len() > 1 => Vec::new(),
        _ => mails(&repo, &["-1", &sha]).await,
    };
    whole(&world, body)
}

/// A name's stem and the form that its ending asks for.
fn split(name: &str) -> Option<(&str, &str)> {
    name.rsplit_once('.').filter(|(_, kind)| ["patch", "diff"].contains(kind))
}

/// Commits as mails; git makes none of merges.
async fn mails(repo: &Repo, what: &[&str]) -> Vec<u8> {
    let fixed = ["format-patch", "--stdout", "--encoding=UTF-8"];
    repo.git().bytes(&[&fixed[..], what].concat()).await.unwrap_or_default()
}

/// A patch, unless it is too long.
fn whole(world: &Shared, body: Vec<u8>) -> Response {
    let most = world.state().caps.diff_lines;
    if body.split(|byte| *byte == b'\n').count() > most {
        return text(406, PLAIN, "Sorry, this diff is too large to display.".to_owned());
    }
    let mut response = text(200, PLAIN, String::new());
    response.headers_mut().remove(header::CONTENT_LENGTH);
    *response.body_mut() = Body::from(body);
    response
}

/// `/{owner}/{repo}/archive/{revision}.tar.gz`: all files of a tree.
pub(crate) async fn archive(
    Asked(repo): Asked,
    Path(params): Path<Vec<(String, String)>>,
) -> Response {
    let Some(name) = named(&params).strip_suffix(".tar.gz") else { return missing() };
    let git = repo.git();
    let Some(sha) = git.resolve(name).await else { return missing() };
    let prefix = format!("--prefix={}-{sha}/", repo.name);
    match git.bytes(&["archive", "--format=tar.gz", &prefix, &sha]).await {
        Some(body) => {
            let kind = HeaderValue::from_static("application/x-gzip");
            (StatusCode::OK, [(header::CONTENT_TYPE, kind)], body).into_response()
        }
        None => text(500, PLAIN, "the archive cannot be made".to_owned()),
    }
}
