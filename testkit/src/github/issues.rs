//! Issues, the search over them, and security advisories.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::commits::last;
use super::page::{Page, Query};
use super::people::user;
use super::repo::Repo;
use super::{Answer, Shared, json_answer, not_found, ok, refused};
use crate::host::Host;

/// An issue.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Issue {
    /// Its number.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// Its text.
    pub body: String,
    /// Who wrote it.
    pub author: String,
    /// When it was opened (RFC 3339).
    pub created: String,
    /// When it was closed, if it was.
    pub closed: Option<String>,
}

/// A published security advisory.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Advisory {
    /// Its GHSA id.
    pub id: String,
    /// What it is about, in a line.
    pub summary: String,
    /// Versions with the hole, as GitHub writes ranges (`< 0.5.1`).
    pub vulnerable: String,
    /// Versions without it.
    pub patched: String,
    /// `low`, `medium`, `high` or `critical`.
    pub severity: String,
    /// When it was published (RFC 3339).
    pub published: String,
}

fn issue(world: &Shared, repo: &Repo, one: &Issue) -> Value {
    let (api, page) = (repo.api(world), repo.page(world));
    let url = format!("{api}/issues/{}", one.number);
    let closed = one.closed.is_some();
    json!({
        "url": url,
        "repository_url": api,
        "labels_url": format!("{url}/labels{{/name}}"),
        "comments_url": format!("{url}/comments"),
        "events_url": format!("{url}/events"),
        "html_url": format!("{page}/issues/{}", one.number),
        "id": 2_000_000 + one.number,
        "node_id": format!("I_{}", one.number),
        "number": one.number,
        "title": one.title,
        "user": user(world, &one.author),
        "labels": [],
        "state": if closed { "closed" } else { "open" },
        "state_reason": if closed { json!("completed") } else { Value::Null },
        "locked": false,
        "assignee": null,
        "assignees": [],
        "milestone": null,
        "comments": 0,
        "created_at": one.created,
        "updated_at": one.closed.as_ref().unwrap_or(&one.created),
        "closed_at": one.closed,
        "author_association": "NONE",
        "body": one.body,
    })
}

/// `GET /repos/{owner}/{repo}/issues`: open ones, newest first, unless asked otherwise.
pub(super) async fn list(State(world): State<Shared>, repo: Repo, query: Query) -> Answer {
    let most = world.state().caps.per_page;
    let state = query.get("state").map_or("open", String::as_str);
    let wanted = |one: &&Issue| match state {
        "all" => true,
        "closed" => one.closed.is_some(),
        _ => one.closed.is_none(),
    };
    let mut all: Vec<&Issue> = repo.issues.iter().filter(wanted).collect();
    all.sort_by(|a, b| b.created.cmp(&a.created));
    let page = Page::of(&query, 30, most);
    let shown: Vec<Value> = page.cut(&all).iter().map(|one| issue(&world, &repo, one)).collect();
    let mut response = json_answer(StatusCode::OK, &Value::Array(shown));
    page.link(&mut response, &format!("{}/issues", repo.api_by_id(&world)), &query, all.len());
    Ok(response)
}

/// `GET /repos/{owner}/{repo}/issues/{issue_number}`
pub(super) async fn show(
    State(world): State<Shared>,
    repo: Repo,
    params: Path<Vec<(String, String)>>,
) -> Answer {
    let number = last(&params);
    let found = repo.issues.iter().find(|one| one.number.to_string() == number);
    ok(&issue(&world, &repo, found.ok_or_else(not_found)?))
}

/// `GET /search/issues`: every word of `q` stands in the title or the text.
pub(super) async fn search(State(world): State<Shared>, query: Query) -> Answer {
    let Some(q) = query.get("q").filter(|q| !q.trim().is_empty()) else {
        return Err(refused(StatusCode::UNPROCESSABLE_ENTITY, "Validation Failed"));
    };
    let caps = world.state().caps.clone();
    let repos = world.state().repos.clone();
    let (filters, words): (Vec<&str>, Vec<&str>) =
        q.split_whitespace().partition(|word| word.contains(':') && !word.starts_with('"'));
    let in_scope = |repo: &Repo| {
        let mut scopes = filters.iter().filter_map(|f| f.strip_prefix("repo:")).peekable();
        scopes.peek().is_none() || scopes.any(|name| name == repo.full_name())
    };
    let mut found = Vec::new();
    for repo in repos.iter().filter(|repo| in_scope(repo)) {
        for one in &repo.issues {
            let text = format!("{} {}", one.title, one.body).to_lowercase();
            let state = if one.closed.is_some() { "closed" } else { "open" };
            let right_state = filters.iter().all(|f| {
                f.strip_prefix("is:")
                    .or_else(|| f.strip_prefix("state:"))
                    .is_none_or(|s| s == state || s == "issue")
            });
            let has = |word: &&str| text.contains(&word.trim_matches('"').to_lowercase());
            if right_state && words.iter().all(has) {
                let mut value = issue(&world, repo, one);
                value["score"] = json!(1.0);
                found.push(value);
            }
        }
    }
    let all = found.len();
    let page = Page::of(&query, 30, caps.per_page);
    let reachable = &found[..all.min(caps.search)];
    let value = json!({
        "total_count": all,
        "incomplete_results": false,
        "search_type": "lexical",
        "items": page.cut(reachable),
    });
    let mut response = json_answer(StatusCode::OK, &value);
    let url = format!("{}/search/issues", world.url(Host::Api));
    page.link(&mut response, &url, &query, reachable.len());
    Ok(response)
}

/// `GET /repos/{owner}/{repo}/security-advisories`
pub(super) async fn advisories(State(world): State<Shared>, repo: Repo) -> Answer {
    let author = user(&world, &repo.owner);
    let one = |advisory: &Advisory| {
        json!({
            "ghsa_id": advisory.id,
            "cve_id": null,
            "url": format!("{}/security-advisories/{}", repo.api(&world), advisory.id),
            "html_url": format!("{}/security/advisories/{}", repo.page(&world), advisory.id),
            "summary": advisory.summary,
            "description": advisory.summary,
            "severity": advisory.severity,
            "author": author,
            "publisher": author,
            "identifiers": [{ "type": "GHSA", "value": advisory.id }],
            "state": "published",
            "created_at": advisory.published,
            "updated_at": advisory.published,
            "published_at": advisory.published,
            "closed_at": null,
            "withdrawn_at": null,
            "submission": null,
            "vulnerabilities": [{
                "package": { "ecosystem": "go", "name": format!("github.com/{}", repo.full_name()) },
                "vulnerable_version_range": advisory.vulnerable,
                "patched_versions": advisory.patched,
                "vulnerable_functions": [],
            }],
            "cvss": null,
            "cwes": [],
            "cwe_ids": [],
            "credits": [],
            "credits_detailed": [],
            "collaborating_users": null,
            "collaborating_teams": null,
            "private_fork": null,
        })
    };
    ok(&repo.advisories.iter().map(one).collect())
}
