//! One comparison a window: how many commits upstream counts in it.
//! <https://docs.github.com/en/rest/commits/commits#compare-two-commits>

use headwater_store::upstream::Upstream;
use headwater_store::{Comparison, NewReceipt, Oid, Store};
use octocrab::models::commits::{CommitComparison, GithubCommitStatus};

use super::{Api, Asked, GitHubError};

/// The most bytes that a comparison without files can have.
const MOST: usize = 8 << 20;

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
    let id = store.ensure_upstream(&upstream.name)?;
    let repository = store.repository_name(id, &upstream.repository)?;
    let repository = repository.as_deref().unwrap_or(&upstream.repository);
    // Only the first page has files, with their patches; they are not wanted here.
    let route = format!(
        "/repos/{repository}/compare/{}...{}?per_page=1&page=2",
        escaped(names.0),
        escaped(names.1)
    );
    let url = api.url(&route);
    let seen = store.seen_at(id, &url)?;
    let known = match &seen {
        Some(seen) => store.comparison_of(seen.receipt)?,
        None => None,
    };
    let known = known.filter(|known| (known.base, known.head) == ends);
    let etag = seen.as_ref().filter(|_| known.is_some()).map(|seen| seen.etag.as_str());
    let reply = api.get(&Asked { route: &route, accept: None, etag, limit: MOST })?;
    let Some(body) = reply.body else {
        return known.ok_or_else(|| GitHubError::Unreadable {
            url: reply.url,
            why: "nothing is newer than what was never stored".to_owned(),
        });
    };
    let unreadable = |why: String| GitHubError::Unreadable { url: reply.url.clone(), why };
    let parsed: CommitComparison =
        serde_json::from_slice(&body).map_err(|e| unreadable(e.to_string()))?;
    let oid = |sha: &str| sha.parse::<Oid>().map_err(|e| unreadable(e.to_string()));
    let count = |n: i64| u64::try_from(n).map_err(|_| unreadable(format!("{n} commits")));
    let said = Comparison {
        base: oid(&parsed.base_commit.sha)?,
        head: ends.1,
        status: match parsed.status {
            GithubCommitStatus::Ahead => "ahead",
            GithubCommitStatus::Behind => "behind",
            GithubCommitStatus::Diverged => "diverged",
            GithubCommitStatus::Identical => "identical",
            _ => "unknown",
        }
        .to_owned(),
        ahead: count(parsed.ahead_by)?,
        behind: count(parsed.behind_by)?,
        merge_base: Some(oid(&parsed.merge_base_commit.sha)?),
    };
    if said.base != ends.0 {
        return Err(unreadable(format!(
            "{} is {} there and {} in git",
            names.0, said.base, ends.0
        )));
    }
    let renamed = repository_of(&parsed.url).filter(|now| !now.eq_ignore_ascii_case(repository));
    if let Some(now) = &renamed {
        store.add_repository_name(id, &upstream.repository, now)?;
    }
    let receipt = store.add_receipt_of(
        id,
        &NewReceipt {
            transport: "github-rest",
            source: &url,
            obtained: reply.obtained,
            body: &body,
            etag: reply.etag.as_deref(),
        },
    )?;
    store.add_comparison(id, receipt, &said)?;
    Ok(said)
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
