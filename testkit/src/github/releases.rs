//! Releases, which people write and edit by hand.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::commits::last;
use super::page::{Page, Query};
use super::people::user;
use super::repo::Repo;
use super::{Answer, Shared, json_answer, not_found, ok, refused};

/// A release.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Release {
    /// Its tag.
    pub tag: String,
    /// Its title.
    pub name: String,
    /// Its notes, in Markdown.
    pub body: String,
    /// Whether it is marked as not final.
    pub prerelease: bool,
    /// The tagged commit's date (RFC 3339).
    pub created: String,
    /// When it came out (RFC 3339).
    pub published: String,
    /// Names and contents of its files.
    pub assets: Vec<(String, String)>,
}

fn release(world: &Shared, repo: &Repo, one: &Release) -> Value {
    let (api, page) = (repo.api(world), repo.page(world));
    let id = id_of(&one.tag);
    let url = format!("{api}/releases/{id}");
    let author = user(world, &repo.owner);
    let asset = |(n, (name, content)): (usize, &(String, String))| {
        let number = id + n as u64 + 1;
        json!({
            "url": format!("{api}/releases/assets/{number}"),
            "id": number,
            "node_id": format!("RA_{number}"),
            "name": name,
            "label": null,
            "uploader": author,
            "content_type": "application/octet-stream",
            "state": "uploaded",
            "size": content.len(),
            "digest": null,
            "download_count": 0,
            "created_at": one.published,
            "updated_at": one.published,
            "browser_download_url": format!("{page}/releases/download/{}/{name}", one.tag),
        })
    };
    json!({
        "url": url,
        "assets_url": format!("{url}/assets"),
        "upload_url": format!("{url}/assets{{?name,label}}"),
        "html_url": format!("{page}/releases/tag/{}", one.tag),
        "id": id,
        "author": author,
        "node_id": format!("RE_{id}"),
        "tag_name": one.tag,
        "target_commitish": repo.branch,
        "name": one.name,
        "draft": false,
        "immutable": false,
        "prerelease": one.prerelease,
        "created_at": one.created,
        "updated_at": one.published,
        "published_at": one.published,
        "assets": one.assets.iter().enumerate().map(asset).collect::<Vec<_>>(),
        "tarball_url": format!("{api}/tarball/{}", one.tag),
        "zipball_url": format!("{api}/zipball/{}", one.tag),
        "body": one.body,
    })
}

fn id_of(tag: &str) -> u64 {
    tag.bytes().fold(17, |sum: u64, b| (sum * 131 + u64::from(b)) % 100_000_000) * 10
}

/// Newest first, as the API lists them.
pub(crate) fn sorted(repo: &Repo) -> Vec<Release> {
    let mut all = repo.releases.clone();
    all.sort_by(|a, b| b.published.cmp(&a.published).then_with(|| b.tag.cmp(&a.tag)));
    all
}

/// The newest release that is final.
pub(crate) fn newest_final(repo: &Repo) -> Option<Release> {
    sorted(repo).into_iter().find(|one| !one.prerelease)
}

/// `GET /repos/{owner}/{repo}/releases`
pub(super) async fn list(State(world): State<Shared>, repo: Repo, query: Query) -> Answer {
    let caps = world.state().caps.clone();
    let page = Page::of(&query, 30, caps.per_page);
    if (page.number - 1).saturating_mul(page.size) >= caps.releases {
        let message = format!("Only the first {} results are available.", caps.releases);
        return Err(refused(StatusCode::UNPROCESSABLE_ENTITY, &message));
    }
    let all = sorted(&repo);
    let shown: Vec<Value> = page.cut(&all).iter().map(|one| release(&world, &repo, one)).collect();
    let mut response = json_answer(StatusCode::OK, &Value::Array(shown));
    let url = format!("{}/releases", repo.api_by_id(&world));
    page.link(&mut response, &url, &query, all.len());
    Ok(response)
}

/// `GET /repos/{owner}/{repo}/releases/latest`
pub(super) async fn latest(State(world): State<Shared>, repo: Repo) -> Answer {
    let newest = newest_final(&repo).ok_or_else(not_found)?;
    ok(&release(&world, &repo, &newest))
}

/// `GET /repos/{owner}/{repo}/releases/tags/{tag}`
pub(super) async fn by_tag(
    State(world): State<Shared>,
    repo: Repo,
    params: Path<Vec<(String, String)>>,
) -> Answer {
    let tag = last(&params);
    let found = repo.releases.iter().find(|one| one.tag == tag).ok_or_else(not_found)?;
    ok(&release(&world, &repo, found))
}
