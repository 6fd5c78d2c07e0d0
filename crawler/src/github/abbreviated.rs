//! Object ids that are cut short, as some pins write them. git fetches none by such a
//! name; the API tells the whole one.
//! <https://docs.github.com/en/rest/commits/commits#get-a-commit>

use headwater_store::Oid;
use headwater_store::upstream::Upstream;

use super::{Api, Asked, GitHubError, escaped};

/// Fewer digits than this are taken for a name.
const FEWEST: usize = 7;

/// Whether a name can only be an object id that is cut short: `b8179` is a build.
pub fn is_abbreviated(upstream: &Upstream, name: &str) -> bool {
    let build = upstream.build_prefix.as_deref().and_then(|prefix| name.strip_prefix(prefix));
    let is_build = build.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()));
    (FEWEST..40).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        && !is_build
}

/// The whole id of the commit whose id begins so; none where the host knows no such one,
/// or several.
///
/// # Errors
/// Those of GitHub.
pub fn full_id(api: &Api<'_>, repository: &str, short: &str) -> Result<Option<Oid>, GitHubError> {
    let route = format!("/repos/{repository}/commits/{}", escaped(short));
    let accept = Some("application/vnd.github.sha");
    match api.get(&Asked { route: &route, accept, etag: None, limit: 1000 }) {
        Ok(reply) => {
            let body = reply.body.unwrap_or_default();
            let text = String::from_utf8_lossy(&body);
            // A branch or a tag of that name is another thing.
            let whole = Some(text.trim()).filter(|whole| whole.starts_with(short));
            Ok(whole.and_then(|whole| whole.parse().ok()))
        }
        Err(GitHubError::Status { status: 404 | 409 | 422, .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use headwater_store::upstream::Upstreams;

    use super::*;

    #[test]
    fn builds_and_versions_are_not_cut_short() {
        let upstreams = Upstreams::built_in().unwrap();
        let llama = upstreams.get("llama.cpp").unwrap();
        for name in ["ec98e2002", "b8179ab", "1234567"] {
            assert!(is_abbreviated(llama, name), "{name}");
        }
        for name in ["b10380123", "b8179", "v0.2.0", "master", "ec98e", "EC98E2002"] {
            assert!(!is_abbreviated(llama, name), "{name}");
        }
        let whole = "6a261db7d6a261db7d6a261db7d6a261db7d6a26";
        assert!(!is_abbreviated(llama, whole));
    }
}
