//! Commits and comparisons.

use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use serde_json::{Value, json};

use super::front::{media, media_answer};
use super::page::{Page, Query, escaped};
use super::people::account;
use super::repo::Repo;
use super::{Answer, Shared, json_answer, not_found, ok, refused};
use crate::caps::Caps;
use crate::git::{CommitFacts, FileFacts, Signature};

/// `GET /repos/{owner}/{repo}/commits`
pub(super) async fn list(State(world): State<Shared>, repo: Repo, query: Query) -> Answer {
    let caps = world.state().caps.clone();
    let git = repo.git();
    let from = query.get("sha").map_or(repo.branch.as_str(), String::as_str);
    let start = git.resolve(from).await.ok_or_else(not_found)?;
    let mut args = vec![start];
    for (name, option) in [("since", "--since="), ("until", "--until="), ("author", "--author=")] {
        args.extend(query.get(name).map(|value| format!("{option}{value}")));
    }
    if let Some(path) = query.get("path") {
        args.extend(["--".to_owned(), path.clone()]);
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let all = git.log(&args).await;
    let page = Page::of(&query, 30, caps.per_page);
    let shown: Vec<Value> = page.cut(&all).iter().map(|c| commit(&world, &repo, c)).collect();
    let mut response = json_answer(StatusCode::OK, &Value::Array(shown));
    let url = format!("{}/commits", repo.api_by_id(&world));
    page.link(&mut response, &url, &query, all.len());
    Ok(response)
}

/// `GET /repos/{owner}/{repo}/commits/{ref}`
pub(super) async fn show(
    State(world): State<Shared>,
    repo: Repo,
    params: Path<Vec<(String, String)>>,
    query: Query,
    headers: HeaderMap,
) -> Answer {
    let caps = world.state().caps.clone();
    let git = repo.git();
    let name = last(&params);
    let missing = || {
        let message = format!("No commit found for SHA: {name}");
        refused(StatusCode::UNPROCESSABLE_ENTITY, &message)
    };
    let sha = git.resolve(name).await.ok_or_else(missing)?;
    let facts = git.commit(&sha).await.ok_or_else(not_found)?;
    let parent = facts.parents.first().map(String::as_str);
    match media(&headers).as_deref() {
        Some("sha") => {
            let mut response = media_answer("sha", sha.clone().into_bytes());
            if let Ok(etag) = HeaderValue::from_str(&format!("\"{sha}\"")) {
                response.headers_mut().insert(header::ETAG, etag);
            }
            return Ok(response);
        }
        Some("diff") => return whole_diff(&caps, git.diff(parent, &sha).await, "diff"),
        Some("patch") => {
            let args = ["format-patch", "-1", "--stdout", "--encoding=UTF-8", &sha];
            let patch = git.bytes(&args).await.unwrap_or_default();
            return whole_diff(&caps, patch, "patch");
        }
        _ => {}
    }
    let mut files = git.files(parent, &sha).await;
    let (added, deleted) =
        files.iter().fold((0, 0), |(a, d), f| (a + f.additions, d + f.deletions));
    files.truncate(caps.commit_files_all);
    let page = Page::of(&query, caps.commit_files, caps.commit_files);
    let mut value = commit(&world, &repo, &facts);
    value["stats"] = json!({ "total": added + deleted, "additions": added, "deletions": deleted });
    value["files"] =
        page.cut(&files).iter().map(|f| file(&world, &repo, &caps, f, &sha, parent)).collect();
    let mut response = json_answer(StatusCode::OK, &value);
    let url = format!("{}/commits/{}", repo.api_by_id(&world), escaped(name));
    page.link(&mut response, &url, &query, files.len());
    Ok(response)
}

/// `GET /repos/{owner}/{repo}/compare/{base}...{head}`
pub(super) async fn compare(
    State(world): State<Shared>,
    repo: Repo,
    params: Path<Vec<(String, String)>>,
    query: Query,
    headers: HeaderMap,
) -> Answer {
    let caps = world.state().caps.clone();
    let git = repo.git();
    let basehead = last(&params);
    let (base, head) = basehead.split_once("...").ok_or_else(not_found)?;
    let base_sha = git.resolve(base).await.ok_or_else(not_found)?;
    let head_sha = git.resolve(head).await.ok_or_else(not_found)?;
    let merge_base = git.text(&["merge-base", &base_sha, &head_sha]).await;
    let merge_base = merge_base.ok_or_else(|| {
        refused(StatusCode::NOT_FOUND, &format!("No common ancestor between {base} and {head}."))
    })?;
    match media(&headers).as_deref() {
        Some(kind @ "diff") => {
            return whole_diff(&caps, git.diff(Some(&merge_base), &head_sha).await, kind);
        }
        Some(kind @ "patch") => {
            let range = format!("{base_sha}..{head_sha}");
            let args = ["format-patch", "--stdout", "--encoding=UTF-8", &range];
            return whole_diff(&caps, git.bytes(&args).await.unwrap_or_default(), kind);
        }
        _ => {}
    }
    let ahead = format!("{base_sha}..{head_sha}");
    let behind = format!("{head_sha}..{base_sha}");
    let behind = git.text(&["rev-list", "--count", &behind]).await;
    let behind: usize = behind.and_then(|n| n.parse().ok()).unwrap_or(0);
    let commits = git.log(&["--reverse", &ahead]).await;
    let status = match (commits.len(), behind) {
        (0, 0) => "identical",
        (_, 0) => "ahead",
        (0, _) => "behind",
        _ => "diverged",
    };
    let paged = query.contains_key("page") || query.contains_key("per_page");
    let page = Page::of(&query, caps.compare_commits, caps.per_page.max(caps.compare_commits));
    // Without pages: the newest ones, up to the cap. With pages: from the oldest on.
    let shown = if paged {
        page.cut(&commits)
    } else {
        &commits[commits.len().saturating_sub(caps.compare_commits)..]
    };
    let mut files = Vec::new();
    if !paged || page.number == 1 {
        files = git.files(Some(&merge_base), &head_sha).await;
        files.truncate(caps.compare_files);
    }
    let base_commit = git.commit(&base_sha).await.ok_or_else(not_found)?;
    let merge_commit = git.commit(&merge_base).await.ok_or_else(not_found)?;
    let web = format!("{}/compare", repo.page(&world));
    let mut value = json!({
        "url": format!("{}/compare/{}", repo.api(&world), escaped_range(basehead)),
        "html_url": format!("{web}/{}", escaped_range(basehead)),
        "permalink_url": format!("{web}/{}:{base_sha}...{}:{head_sha}", repo.owner, repo.owner),
        "diff_url": format!("{web}/{}.diff", escaped_range(basehead)),
        "patch_url": format!("{web}/{}.patch", escaped_range(basehead)),
        "base_commit": commit(&world, &repo, &base_commit),
        "merge_base_commit": commit(&world, &repo, &merge_commit),
        "status": status,
        "ahead_by": commits.len(),
        "behind_by": behind,
        "total_commits": commits.len(),
        "commits": shown.iter().map(|c| commit(&world, &repo, c)).collect::<Vec<_>>(),
    });
    if !paged || page.number == 1 {
        let base = Some(merge_base.as_str());
        value["files"] =
            files.iter().map(|f| file(&world, &repo, &caps, f, &head_sha, base)).collect();
    }
    let mut response = json_answer(StatusCode::OK, &value);
    if paged {
        let url = format!("{}/compare/{}", repo.api_by_id(&world), escaped_range(basehead));
        page.link(&mut response, &url, &query, commits.len());
    }
    Ok(response)
}

fn escaped_range(basehead: &str) -> String {
    basehead.split("...").map(escaped).collect::<Vec<_>>().join("...")
}

/// A diff in its own media type, unless it is too long for that.
fn whole_diff(caps: &Caps, diff: Vec<u8>, kind: &str) -> Answer {
    let lines = diff.split(|b| *b == b'\n').count();
    if lines <= caps.diff_lines {
        return Ok(media_answer(kind, diff));
    }
    let message =
        format!("Sorry, the diff exceeded the maximum number of lines ({})", caps.diff_lines);
    let value = json!({
        "message": message,
        "errors": [{ "resource": "Commit", "field": "diff", "code": "too_large" }],
        "documentation_url": "https://docs.github.com/rest/commits/commits#get-a-commit",
        "status": "406",
    });
    Err(json_answer(StatusCode::NOT_ACCEPTABLE, &value))
}

/// A commit's JSON, without its files.
fn commit(world: &Shared, repo: &Repo, facts: &CommitFacts) -> Value {
    let (api, page, sha) = (repo.api(world), repo.page(world), &facts.sha);
    let signature = |s: &Signature| json!({ "name": s.name, "email": s.email, "date": s.date });
    let parent = |sha: &String| {
        json!({
            "sha": sha,
            "url": format!("{api}/commits/{sha}"),
            "html_url": format!("{page}/commit/{sha}"),
        })
    };
    json!({
        "sha": sha,
        "node_id": format!("C_{sha}"),
        "commit": {
            "author": signature(&facts.author),
            "committer": signature(&facts.committer),
            "message": facts.message,
            "tree": { "sha": facts.tree, "url": format!("{api}/git/trees/{}", facts.tree) },
            "url": format!("{api}/git/commits/{sha}"),
            "comment_count": 0,
            "verification": verification(facts),
        },
        "url": format!("{api}/commits/{sha}"),
        "html_url": format!("{page}/commit/{sha}"),
        "comments_url": format!("{api}/commits/{sha}/comments"),
        "author": account(world, &facts.author.email),
        "committer": account(world, &facts.committer.email),
        "parents": facts.parents.iter().map(parent).collect::<Vec<_>>(),
    })
}

/// What a signature is over: the commit as git keeps it, without the signature.
fn verification(facts: &CommitFacts) -> Value {
    let signed = facts.signature.as_ref();
    json!({
        "verified": signed.is_some(),
        "reason": if signed.is_some() { "valid" } else { "unsigned" },
        "signature": signed.map(|(signature, _)| signature),
        "payload": signed.map(|(_, payload)| payload),
        "verified_at": signed.map(|_| &facts.committer.date),
    })
}

/// A file's JSON: its patch is left out where it is binary or too long.
fn file(
    world: &Shared,
    repo: &Repo,
    caps: &Caps,
    facts: &FileFacts,
    head: &str,
    base: Option<&str>,
) -> Value {
    let (page, path) = (repo.page(world), facts.path.split('/').map(escaped));
    let path = path.collect::<Vec<_>>().join("/");
    let at = if facts.status == 'D' { base.unwrap_or(head) } else { head };
    let mut value = json!({
        "sha": facts.blob,
        "filename": facts.path,
        "status": match facts.status {
            'A' => "added",
            'D' => "removed",
            'R' => "renamed",
            'C' => "copied",
            'T' => "changed",
            _ => "modified",
        },
        "additions": facts.additions,
        "deletions": facts.deletions,
        "changes": facts.additions + facts.deletions,
        "blob_url": format!("{page}/blob/{at}/{path}"),
        "raw_url": format!("{page}/raw/{at}/{path}"),
        "contents_url": format!("{}/contents/{path}?ref={at}", repo.api(world)),
    });
    let lines = facts.patch.lines().count();
    if !facts.patch.is_empty() && lines <= caps.patch_lines && facts.patch.len() <= caps.patch_bytes
    {
        value["patch"] = json!(facts.patch);
    }
    if let Some(old) = &facts.old_path {
        value["previous_filename"] = json!(old);
    }
    value
}

/// The last of a path's parameters: the one that is not the repository's.
pub(super) fn last(params: &Path<Vec<(String, String)>>) -> &str {
    params.last().map_or("", |(_, value)| value.as_str())
}

/// An empty list.
pub(super) fn nothing() -> Answer {
    ok(&json!([]))
}
