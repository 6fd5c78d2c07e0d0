//! Pull requests: the merged ones, as the history shows them.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::commits::{last, nothing};
use super::people::account;
use super::repo::{Repo, summary};
use super::{Answer, Shared, not_found, ok, refused};
use crate::git::CommitFacts;

/// The number in a subject: `(#12)` at its end, or that of a merge.
fn number_in(subject: &str) -> Option<u64> {
    let digits = match subject.strip_prefix("Merge pull request #") {
        Some(rest) => rest.split(' ').next()?,
        None => subject.trim_end().strip_suffix(')')?.rsplit_once("(#")?.1,
    };
    digits.parse().ok()
}

fn number_of(repo: &Repo, commit: &CommitFacts) -> Option<u64> {
    let told = repo.pulls.iter().find(|(sha, _)| *sha == commit.sha).map(|(_, number)| *number);
    told.or_else(|| number_in(commit.message.lines().next()?))
}

async fn pull(world: &Shared, repo: &Repo, commit: &CommitFacts, number: u64) -> Value {
    let (api, page) = (repo.api(world), repo.page(world));
    let url = format!("{api}/pulls/{number}");
    let mut lines = commit.message.lines();
    let subject = lines.next().unwrap_or_default();
    let title = subject.trim_end().rsplit_once(" (#").map_or(subject, |(title, _)| title);
    let body = lines.collect::<Vec<_>>().join("\n").trim().to_owned();
    let author = account(world, &commit.author.email);
    let inside = summary(world, repo).await;
    let parent = commit.parents.first().cloned().unwrap_or_else(|| commit.sha.clone());
    let side = |name: &str, sha: &str| {
        json!({
            "label": format!("{}:{name}", repo.owner),
            "ref": name,
            "sha": sha,
            "user": inside["owner"],
            "repo": inside,
        })
    };
    let link = |href: String| json!({ "href": href });
    let mut value = json!({
        "url": url,
        "id": 1_000_000 + number,
        "node_id": format!("PR_{number}"),
        "html_url": format!("{page}/pull/{number}"),
        "diff_url": format!("{page}/pull/{number}.diff"),
        "patch_url": format!("{page}/pull/{number}.patch"),
        "issue_url": format!("{api}/issues/{number}"),
        "commits_url": format!("{url}/commits"),
        "review_comments_url": format!("{url}/comments"),
        "review_comment_url": format!("{api}/pulls/comments{{/number}}"),
        "comments_url": format!("{api}/issues/{number}/comments"),
        "statuses_url": format!("{api}/statuses/{}", commit.sha),
        "number": number,
        "state": "closed",
        "locked": false,
        "title": title,
        "user": author,
        "body": if body.is_empty() { Value::Null } else { json!(body) },
        "labels": [],
        "milestone": null,
        "assignee": null,
        "assignees": [],
        "requested_reviewers": [],
        "requested_teams": [],
        "draft": false,
        "created_at": commit.author.date,
        "updated_at": commit.committer.date,
        "closed_at": commit.committer.date,
        "merged_at": commit.committer.date,
        "merge_commit_sha": commit.sha,
        "author_association": "CONTRIBUTOR",
        "auto_merge": null,
        "head": side("topic", &commit.sha),
        "base": side(&repo.branch, &parent),
    });
    value["_links"] = json!({
        "self": link(url.clone()),
        "html": link(format!("{page}/pull/{number}")),
        "issue": link(format!("{api}/issues/{number}")),
        "comments": link(format!("{api}/issues/{number}/comments")),
        "review_comments": link(format!("{url}/comments")),
        "review_comment": link(format!("{api}/pulls/comments{{/number}}")),
        "commits": link(format!("{url}/commits")),
        "statuses": link(format!("{api}/statuses/{}", commit.sha)),
    });
    value
}

/// `GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls`
pub(super) async fn of_commit(
    State(world): State<Shared>,
    repo: Repo,
    params: Path<Vec<(String, String)>>,
) -> Answer {
    let name = last(&params);
    let missing = || {
        let message = format!("No commit found for SHA: {name}");
        refused(StatusCode::UNPROCESSABLE_ENTITY, &message)
    };
    let sha = repo.git().resolve(name).await.ok_or_else(missing)?;
    let commit = repo.git().commit(&sha).await.ok_or_else(not_found)?;
    match number_of(&repo, &commit) {
        Some(number) => ok(&json!([pull(&world, &repo, &commit, number).await])),
        None => nothing(),
    }
}

/// `GET /repos/{owner}/{repo}/pulls/{pull_number}`
pub(super) async fn show(
    State(world): State<Shared>,
    repo: Repo,
    params: Path<Vec<(String, String)>>,
) -> Answer {
    let number: u64 = last(&params).parse().map_err(|_| not_found())?;
    let commits = repo.git().log(&[&format!("refs/heads/{}", repo.branch)]).await;
    let commit = commits
        .iter()
        .find(|commit| number_of(&repo, commit) == Some(number))
        .ok_or_else(not_found)?;
    let files = repo.git().files(commit.parents.first().map(String::as_str), &commit.sha).await;
    let mut value = pull(&world, &repo, commit, number).await;
    for (name, more) in [
        ("merged", json!(true)),
        ("mergeable", Value::Null),
        ("mergeable_state", json!("unknown")),
        ("rebaseable", Value::Null),
        ("merged_by", account(&world, &commit.committer.email)),
        ("comments", json!(0)),
        ("review_comments", json!(0)),
        ("maintainer_can_modify", json!(false)),
        ("commits", json!(1)),
        ("additions", json!(files.iter().map(|f| f.additions).sum::<u64>())),
        ("deletions", json!(files.iter().map(|f| f.deletions).sum::<u64>())),
        ("changed_files", json!(files.len())),
    ] {
        value[name] = more;
    }
    ok(&value)
}

#[cfg(test)]
mod tests {
    use super::number_in;

    #[test]
    fn numbers_of_squashes_and_merges() {
        assert_eq!(number_in("cuda : wider tiles (#26)"), Some(26));
        assert_eq!(number_in("Merge pull request #37 from kim/darker-icon"), Some(37));
        assert_eq!(number_in("api: leave alone what a model does not set"), None);
    }
}
