//! Tags and other references.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::commits::last;
use super::page::{Page, Query};
use super::repo::Repo;
use super::{Answer, Shared, json_answer, not_found, ok};
use crate::git::RefFacts;

/// `GET /repos/{owner}/{repo}/tags`: names with their commits, in reverse alphabetical
/// order, annotated tags peeled.
pub(super) async fn tags(State(world): State<Shared>, repo: Repo, query: Query) -> Answer {
    let most = world.state().caps.per_page;
    let mut all = repo.git().refs("refs/tags/").await;
    all.reverse();
    let page = Page::of(&query, 30, most);
    let api = repo.api(&world);
    let one = |r: &RefFacts| {
        let tag = r.name.trim_start_matches("refs/tags/");
        json!({
            "name": tag,
            "zipball_url": format!("{api}/zipball/refs/tags/{tag}"),
            "tarball_url": format!("{api}/tarball/refs/tags/{tag}"),
            "commit": { "sha": r.commit, "url": format!("{api}/commits/{}", r.commit) },
            "node_id": format!("T_{tag}"),
        })
    };
    let shown: Vec<Value> = page.cut(&all).iter().map(one).collect();
    let mut response = json_answer(StatusCode::OK, &Value::Array(shown));
    page.link(&mut response, &format!("{}/tags", repo.api_by_id(&world)), &query, all.len());
    Ok(response)
}

fn reference(world: &Shared, repo: &Repo, facts: &RefFacts) -> Value {
    let api = repo.api(world);
    let plural = if facts.kind == "tag" { "tags" } else { "commits" };
    json!({
        "ref": facts.name,
        "node_id": format!("REF_{}", facts.name),
        "url": format!("{api}/git/{}", facts.name),
        "object": {
            "sha": facts.object,
            "type": facts.kind,
            "url": format!("{api}/git/{plural}/{}", facts.object),
        },
    })
}

/// `GET /repos/{owner}/{repo}/git/ref/{ref}`: what a reference itself names; for an
/// annotated tag that is the tag object.
pub(super) async fn one(
    State(world): State<Shared>,
    repo: Repo,
    params: Path<Vec<(String, String)>>,
) -> Answer {
    let name = format!("refs/{}", last(&params));
    let all = repo.git().refs(&name).await;
    let found = all.iter().find(|r| r.name == name).ok_or_else(not_found)?;
    ok(&reference(&world, &repo, found))
}

/// `GET /repos/{owner}/{repo}/git/matching-refs/{ref}`: all that begin so.
pub(super) async fn matching(
    State(world): State<Shared>,
    repo: Repo,
    params: Path<Vec<(String, String)>>,
) -> Answer {
    let prefix = format!("refs/{}", last(&params));
    let all = repo.git().refs("refs/").await;
    let most = world.state().caps.refs;
    let found = all.iter().filter(|r| r.name.starts_with(&prefix)).take(most);
    ok(&found.map(|r| reference(&world, &repo, r)).collect())
}

/// `GET /repos/{owner}/{repo}/git/tags/{tag_sha}`: a tag object.
pub(super) async fn tag_object(
    State(world): State<Shared>,
    repo: Repo,
    params: Path<Vec<(String, String)>>,
) -> Answer {
    let sha = last(&params);
    let all = repo.git().refs("refs/tags/").await;
    let found = all.iter().find(|r| r.object == sha && r.kind == "tag").ok_or_else(not_found)?;
    let text = repo.git().text(&["cat-file", "tag", sha]).await.ok_or_else(not_found)?;
    let (head, message) = text.split_once("\n\n").unwrap_or((&text, ""));
    let tagger = head.lines().find_map(|l| l.strip_prefix("tagger ")).unwrap_or_default();
    let (name, rest) = tagger.split_once(" <").unwrap_or((tagger, ""));
    let (email, when) = rest.split_once("> ").unwrap_or((rest, ""));
    let seconds = when.split(' ').next().and_then(|s| s.parse().ok()).unwrap_or(0);
    let date = chrono::DateTime::from_timestamp(seconds, 0).unwrap_or_default();
    let api = repo.api(&world);
    ok(&json!({
        "node_id": format!("TA_{sha}"),
        "sha": sha,
        "url": format!("{api}/git/tags/{sha}"),
        "tag": found.name.trim_start_matches("refs/tags/"),
        "message": message,
        "tagger": {
            "name": name,
            "email": email,
            "date": date.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
        },
        "object": {
            "sha": found.commit,
            "type": "commit",
            "url": format!("{api}/git/commits/{}", found.commit),
        },
    }))
}
