//! The commits that somebody's words mean, in one upstream or in any.

use headwater_store::upstream::{Upstream, Upstreams};
use headwater_store::{Store, StoredCommit};

use crate::QueryError;
use crate::shipping::Target;
use crate::window::Resolver;

/// The commits that `words` could mean: an id or the start of one, a tag, a branch, a build
/// number, or a pull request (`#17679`, `llama.cpp#26802`).
///
/// # Errors
/// Words that mean nothing in the named upstream, or in any that is stored.
pub(crate) fn meant<'u>(
    store: &Store,
    upstreams: &'u Upstreams,
    upstream: Option<&str>,
    words: &str,
) -> Result<Vec<(&'u Upstream, StoredCommit)>, QueryError> {
    let upstream = upstream.map(|name| upstreams.get(name)).transpose()?;
    if words.contains('#') {
        return pulls(store, upstreams, upstream, words);
    }
    if let Some(upstream) = upstream {
        let found = Resolver::new(store, upstream)?.resolve(words)?;
        return Ok(vec![(upstream, found.commit)]);
    }
    let mut found = Vec::new();
    let mut last_error = None;
    for (id, name) in store.upstream_names()? {
        let Some(upstream) = upstreams.find(&name) else { continue };
        let mut commits = store.commits_with_prefix(id, words, 4)?;
        if commits.is_empty() {
            match Resolver::new(store, upstream)?.resolve(words) {
                Ok(resolved) => commits.push(resolved.commit),
                Err(error) => last_error = Some(error),
            }
        }
        found.extend(commits.into_iter().map(|commit| (upstream, commit)));
    }
    match (found.is_empty(), last_error) {
        (true, Some(_)) if is_id(words) => Err(QueryError::NoCommit {
            start: words.to_owned(),
            hint: as_build(store, upstreams, words)?,
        }),
        (true, Some(error)) => Err(error),
        _ => Ok(found),
    }
}

/// The commits of a pull request: of any upstream, where neither the words nor somebody else
/// names one.
fn pulls<'u>(
    store: &Store,
    upstreams: &'u Upstreams,
    upstream: Option<&'u Upstream>,
    words: &str,
) -> Result<Vec<(&'u Upstream, StoredCommit)>, QueryError> {
    let target = Target::parse(words)?;
    let named = match target.upstream() {
        Some(name) => Some(upstreams.get(name)?),
        None => upstream,
    };
    let mut found = Vec::new();
    for (_, name) in store.upstream_names()? {
        let Some(one) = upstreams.find(&name) else { continue };
        if named.is_none_or(|named| named.name == one.name) {
            found.extend(target.commits(store, one)?.into_iter().map(|commit| (one, commit)));
        }
    }
    match found.is_empty() {
        true => Err(QueryError::UnknownChange { what: words.to_owned(), notes: String::new() }),
        false => Ok(found),
    }
}

/// Whether a text can only be the start of a commit's id, or a build's bare number.
fn is_id(text: &str) -> bool {
    let number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    number || (4..=40).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The build that a bare number may mean.
fn as_build(store: &Store, upstreams: &Upstreams, number: &str) -> Result<String, QueryError> {
    for (_, name) in store.upstream_names()? {
        let Some(upstream) = upstreams.find(&name) else { continue };
        let Some(prefix) = &upstream.build_prefix else { continue };
        let build = format!("{prefix}{number}");
        if number.bytes().all(|byte| byte.is_ascii_digit())
            && Resolver::new(store, upstream)?.resolve(&build).is_ok()
        {
            return Ok(format!("; {build} is a build of {name}: headwater show {build}"));
        }
    }
    Ok(String::new())
}
