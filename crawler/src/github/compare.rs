//! One comparison a window: how many commits upstream counts in it, and the commits
//! themselves where they do not come by git.
//! <https://docs.github.com/en/rest/commits/commits#compare-two-commits>

use headwater_store::upstream::Upstream;
use headwater_store::{Comparison, NewReceipt, Oid, Store};
use serde::Deserialize;

use super::told::Told;
use super::{Api, Asked, GitHubError};

/// The most bytes that a comparison can have: a page of commits and three hundred files.
const MOST: usize = 64 << 20;
/// What asks for the counts alone: only the first page has files, with their patches.
const COUNTS: &str = "?per_page=1&page=2";
/// What asks for the commits, in the largest pages that there are.
const COMMITS: &str = "?per_page=100&page=1";

/// A comparison's answer, as far as it is read.
#[derive(Debug, Deserialize)]
struct Answer {
    url: String,
    status: String,
    ahead_by: u64,
    behind_by: u64,
    base_commit: Told,
    merge_base_commit: Told,
    #[serde(default)]
    commits: Vec<Told>,
    files: Option<Vec<ListedFile>>,
}

/// The first page of a comparison.
#[derive(Debug)]
pub struct FirstPage {
    /// Commits of the window, the oldest first, and both of the base's.
    pub(super) commits: Vec<Told>,
    /// The files in which the newer end differs from where the sides meet, where the host
    /// lists any.
    pub(super) files: Option<Vec<ListedFile>>,
    /// The next page's URL.
    pub(super) next: Option<String>,
}

/// A file of a comparison, as far as it is read.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ListedFile {
    pub(super) filename: String,
    pub(super) previous_filename: Option<String>,
    pub(super) status: String,
    pub(super) sha: Option<String>,
}

/// Asks GitHub how many commits `base...head` has on either side, and keeps what it says.
/// `ends` are the commits that the names mean.
///
/// # Errors
/// Those of GitHub and the store.
pub fn compare(
    api: &Api<'_>,
    store: &Store,
    upstream: &Upstream,
    names: (&str, &str),
    ends: (Oid, Oid),
) -> Result<Comparison, GitHubError> {
    // Under what it was asked for before it costs nothing where nothing is new.
    let id = store.ensure_upstream(&upstream.name)?;
    let route = route(store, upstream, names)?;
    let before = store.seen_at(id, &api.url(&format!("{route}{COMMITS}")))?.is_some();
    let asked = format!("{route}{}", if before { COMMITS } else { COUNTS });
    let url = api.url(&asked);
    let seen = store.seen_at(id, &url)?;
    let known = match &seen {
        Some(seen) => store.comparison_of(seen.receipt)?,
        None => None,
    };
    let known = known.filter(|known| (known.base, known.head) == ends);
    let etag = seen.as_ref().filter(|_| known.is_some()).map(|seen| seen.etag.as_str());
    match said(api, store, upstream, names, ends, &asked, etag)? {
        Some((said, _)) => Ok(said),
        None => known.ok_or_else(|| GitHubError::Unreadable {
            url,
            why: "nothing is newer than what was never stored".to_owned(),
        }),
    }
}

/// As [`compare`], and gives the first page of the commits too.
///
/// # Errors
/// Those of GitHub and the store.
pub fn compare_commits(
    api: &Api<'_>,
    store: &Store,
    upstream: &Upstream,
    names: (&str, &str),
    ends: (Oid, Oid),
) -> Result<(Comparison, FirstPage), GitHubError> {
    let asked = format!("{}{COMMITS}", route(store, upstream, names)?);
    said(api, store, upstream, names, ends, &asked, None)?.ok_or_else(|| GitHubError::Unreadable {
        url: api.url(&asked),
        why: "nothing came".to_owned(),
    })
}

/// The path of a comparison, under the name by which the repository answered last.
fn route(store: &Store, upstream: &Upstream, names: (&str, &str)) -> Result<String, GitHubError> {
    let repository = store.repository(upstream)?;
    Ok(format!("/repos/{repository}/compare/{}...{}", escaped(names.0), escaped(names.1)))
}

/// Asks, and keeps what came; nothing where nothing is newer.
fn said(
    api: &Api<'_>,
    store: &Store,
    upstream: &Upstream,
    names: (&str, &str),
    ends: (Oid, Oid),
    asked: &str,
    etag: Option<&str>,
) -> Result<Option<(Comparison, FirstPage)>, GitHubError> {
    let id = store.ensure_upstream(&upstream.name)?;
    let reply = api.get(&Asked { route: asked, accept: None, etag, limit: MOST })?;
    let Some(body) = reply.body else { return Ok(None) };
    let unreadable = |why: String| GitHubError::Unreadable { url: reply.url.clone(), why };
    let answer: Answer = serde_json::from_slice(&body).map_err(|e| unreadable(e.to_string()))?;
    let known = ["identical", "ahead", "behind", "diverged"];
    let said = Comparison {
        base: answer.base_commit.oid,
        head: ends.1,
        status: known.iter().find(|s| **s == answer.status).unwrap_or(&"unknown").to_string(),
        ahead: answer.ahead_by,
        behind: answer.behind_by,
        merge_base: Some(answer.merge_base_commit.oid),
    };
    if said.base != ends.0 {
        return Err(unreadable(format!(
            "{} is {} there and {} in git",
            names.0, said.base, ends.0
        )));
    }
    let renamed = repository_of(&answer.url)
        .filter(|now| !asked.to_lowercase().starts_with(&format!("/repos/{now}/").to_lowercase()));
    if let Some(now) = &renamed {
        store.add_repository_name(id, &upstream.repository, now)?;
    }
    let receipt = store.add_receipt_of(
        id,
        &NewReceipt {
            transport: "github-rest",
            source: &api.url(asked),
            obtained: reply.obtained,
            body: &body,
            etag: reply.etag.as_deref(),
        },
    )?;
    store.add_comparison(id, receipt, &said)?;
    let mut commits = answer.commits;
    commits.extend([answer.base_commit, answer.merge_base_commit]);
    Ok(Some((said, FirstPage { commits, files: answer.files, next: reply.next })))
}

/// `owner/name` of an API URL that GitHub itself gave.
fn repository_of(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("/repos/")?;
    let mut parts = rest.split('/');
    let (owner, name) = (parts.next()?, parts.next()?);
    let fits = |part: &str| {
        !part.is_empty()
            && part.len() <= 100
            && !part.starts_with(['-', '.'])
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    };
    (fits(owner) && fits(name)).then(|| format!("{owner}/{name}"))
}

/// A ref as a part of a URL's path.
pub(super) fn escaped(name: &str) -> String {
    name.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repositorys_name_is_read_from_the_api_alone() {
        let name = |url: &str| repository_of(url);
        assert_eq!(
            name("https://api.github.com/repos/ggml-org/llama.cpp/compare/a...b").as_deref(),
            Some("ggml-org/llama.cpp")
        );
        for bad in ["https://x/repos/-u/x/", "https://x/repos/a/../", "https://x/repos/a", "x"] {
            assert_eq!(name(bad), None, "{bad}");
        }
        assert_eq!(escaped("v1/é#?"), "v1/%C3%A9%23%3F");
    }
}
