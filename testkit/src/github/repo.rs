//! A repository, by its name, an older name, or its number.

use std::path::PathBuf;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Map, Value, json};

use super::people::user;
use super::{Advisory, Answer, Issue, Release, Shared, json_answer, not_found, ok};
use crate::git::Git;
use crate::host::Host;

/// A repository that the miniature serves.
#[derive(Debug, Clone)]
pub(crate) struct Repo {
    pub id: u64,
    pub owner: String,
    pub name: String,
    /// `owner/name` that it had before.
    pub former: Vec<String>,
    pub path: PathBuf,
    pub branch: String,
    pub language: &'static str,
    pub releases: Vec<Release>,
    pub issues: Vec<Issue>,
    pub advisories: Vec<Advisory>,
    /// Pull requests of commits whose subjects name none: sha to number.
    pub pulls: Vec<(String, u64)>,
}

impl Repo {
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.owner, self.name)
    }

    pub fn git(&self) -> Git {
        Git(self.path.clone())
    }

    /// Its API address under its present name.
    pub fn api(&self, world: &Shared) -> String {
        format!("{}/repos/{}", world.url(Host::Api), self.full_name())
    }

    /// Its API address by number: what links to pages use.
    pub fn api_by_id(&self, world: &Shared) -> String {
        format!("{}/repositories/{}", world.url(Host::Api), self.id)
    }

    /// Its page.
    pub fn page(&self, world: &Shared) -> String {
        format!("{}/{}", world.url(Host::Web), self.full_name())
    }
}

/// How a name was found.
pub(crate) enum Found {
    /// It is the present one.
    Here(Box<Repo>),
    /// The repository has another name now.
    Moved(Box<Repo>),
    /// Nobody has it.
    Nowhere,
}

impl Found {
    /// Looks a name up; case does not count.
    pub fn by_name(world: &Shared, owner: &str, name: &str) -> Self {
        let asked = format!("{owner}/{name}");
        for repo in &world.state().repos {
            if repo.full_name().eq_ignore_ascii_case(&asked) {
                return Found::Here(Box::new(repo.clone()));
            }
            if repo.former.iter().any(|old| old.eq_ignore_ascii_case(&asked)) {
                return Found::Moved(Box::new(repo.clone()));
            }
        }
        Found::Nowhere
    }
}

impl FromRequestParts<Shared> for Repo {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, world: &Shared) -> Result<Self, Response> {
        let params =
            RawPathParams::from_request_parts(parts, world).await.map_err(|_| not_found())?;
        let param = |wanted: &str| {
            params.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.to_owned())
        };
        if let Some(id) = param("id") {
            let state = world.state();
            return state
                .repos
                .iter()
                .find(|repo| repo.id.to_string() == id)
                .cloned()
                .ok_or_else(not_found);
        }
        let (owner, name) = param("owner").zip(param("repo")).ok_or_else(not_found)?;
        match Found::by_name(world, &owner, &name) {
            Found::Here(repo) => Ok(*repo),
            Found::Nowhere => Err(not_found()),
            Found::Moved(repo) => {
                // The address by number stays, whatever the name becomes next.
                let target = parts.uri.path_and_query().map_or("", |p| p.as_str());
                let whole = parts
                    .extensions
                    .get::<axum::extract::OriginalUri>()
                    .and_then(|uri| uri.0.path_and_query())
                    .map_or(target, |p| p.as_str());
                let prefix = format!("/repos/{owner}/{name}");
                let rest = whole.strip_prefix(&prefix).unwrap_or_default();
                let url = format!("{}{rest}", repo.api_by_id(world));
                let value = json!({
                    "message": "Moved Permanently",
                    "url": url,
                    "documentation_url": "https://docs.github.com/rest/guides/best-practices-for-using-the-rest-api#follow-redirects",
                });
                let mut response = json_answer(StatusCode::MOVED_PERMANENTLY, &value);
                if let Ok(url) = HeaderValue::from_str(&url) {
                    response.headers_mut().insert(header::LOCATION, url);
                }
                Err(response)
            }
        }
    }
}

/// `GET /repos/{owner}/{repo}`
pub(super) async fn show(
    axum::extract::State(world): axum::extract::State<Shared>,
    repo: Repo,
) -> Answer {
    let mut value = summary(&world, &repo).await;
    if let Value::Object(fields) = &mut value {
        fields.insert("network_count".to_owned(), json!(0));
        fields.insert("subscribers_count".to_owned(), json!(0));
    }
    ok(&value)
}

/// A repository's JSON, as it also stands inside a pull request.
pub(super) async fn summary(world: &Shared, repo: &Repo) -> Value {
    let (api, page) = (repo.api(world), repo.page(world));
    let newest = repo.git().commit(&format!("refs/heads/{}", repo.branch)).await;
    let date = newest.map_or_else(|| "2026-01-01T00:00:00Z".to_owned(), |c| c.committer.date);
    let open = repo.issues.iter().filter(|issue| issue.closed.is_none()).count();
    let mut out = Map::new();
    for (name, path) in [
        ("archive_url", "/{archive_format}{/ref}"),
        ("assignees_url", "/assignees{/user}"),
        ("blobs_url", "/git/blobs{/sha}"),
        ("branches_url", "/branches{/branch}"),
        ("collaborators_url", "/collaborators{/collaborator}"),
        ("comments_url", "/comments{/number}"),
        ("commits_url", "/commits{/sha}"),
        ("compare_url", "/compare/{base}...{head}"),
        ("contents_url", "/contents/{+path}"),
        ("contributors_url", "/contributors"),
        ("deployments_url", "/deployments"),
        ("downloads_url", "/downloads"),
        ("events_url", "/events"),
        ("forks_url", "/forks"),
        ("git_commits_url", "/git/commits{/sha}"),
        ("git_refs_url", "/git/refs{/sha}"),
        ("git_tags_url", "/git/tags{/sha}"),
        ("hooks_url", "/hooks"),
        ("issue_comment_url", "/issues/comments{/number}"),
        ("issue_events_url", "/issues/events{/number}"),
        ("issues_url", "/issues{/number}"),
        ("keys_url", "/keys{/key_id}"),
        ("labels_url", "/labels{/name}"),
        ("languages_url", "/languages"),
        ("merges_url", "/merges"),
        ("milestones_url", "/milestones{/number}"),
        ("notifications_url", "/notifications{?since,all,participating}"),
        ("pulls_url", "/pulls{/number}"),
        ("releases_url", "/releases{/id}"),
        ("stargazers_url", "/stargazers"),
        ("statuses_url", "/statuses/{sha}"),
        ("subscribers_url", "/subscribers"),
        ("subscription_url", "/subscription"),
        ("tags_url", "/tags"),
        ("teams_url", "/teams"),
        ("trees_url", "/git/trees{/sha}"),
        ("url", ""),
    ] {
        out.insert(name.to_owned(), format!("{api}{path}").into());
    }
    for (name, value) in [
        ("id", json!(repo.id)),
        ("node_id", json!(format!("R_{}", repo.id))),
        ("name", json!(repo.name)),
        ("full_name", json!(repo.full_name())),
        ("private", json!(false)),
        ("owner", user(world, &repo.owner)),
        ("html_url", json!(page)),
        ("description", json!("A miniature.")),
        ("fork", json!(false)),
        ("homepage", Value::Null),
        ("language", json!(repo.language)),
        ("license", Value::Null),
        ("mirror_url", Value::Null),
        ("default_branch", json!(repo.branch)),
        ("clone_url", json!(format!("{page}.git"))),
        ("svn_url", json!(page)),
        ("git_url", json!(format!("git://127.0.0.1/{}.git", repo.full_name()))),
        ("ssh_url", json!(format!("git@127.0.0.1:{}.git", repo.full_name()))),
        ("visibility", json!("public")),
        ("size", json!(1)),
        ("created_at", json!("2026-01-01T00:00:00Z")),
        ("updated_at", json!(date)),
        ("pushed_at", json!(date)),
        ("open_issues", json!(open)),
        ("open_issues_count", json!(open)),
    ] {
        out.insert(name.to_owned(), value);
    }
    for name in ["forks", "forks_count", "stargazers_count", "watchers", "watchers_count"] {
        out.insert(name.to_owned(), json!(0));
    }
    for (name, yes) in [
        ("archived", false),
        ("disabled", false),
        ("has_issues", true),
        ("has_projects", false),
        ("has_wiki", false),
        ("has_pages", false),
        ("has_discussions", false),
        ("has_downloads", true),
    ] {
        out.insert(name.to_owned(), json!(yes));
    }
    Value::Object(out)
}
