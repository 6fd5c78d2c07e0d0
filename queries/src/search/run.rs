//! Searching.

use std::collections::HashSet;
use std::sync::Arc;

use headwater_store::search::Cutter;
use headwater_store::upstream::Upstream;
use headwater_store::{CommitId, Store, UpstreamId};

use super::answer::{Hit, NamedTag, SearchAnswer};
use super::parse::parse;
use super::snippet::Snippets;
use crate::QueryError;
use crate::grep::scope::Commits;
use crate::grep::{Filter, quote};
use crate::rank::Facets;
use crate::said::{StatementHit, search_statements};

/// What this answer is good for.
const NOTE: &str = "this is for finding: that nothing is found proves nothing, since long patches \
                    are indexed in part and words are matched by their stems";

/// A search.
#[derive(Debug, Clone)]
pub struct SearchRequest<'a> {
    /// Words, `"phrases"` and `field:word`.
    pub query: String,
    /// The upstreams to search.
    pub upstreams: Vec<&'a Upstream>,
    /// Which of their commits; merges count always, by their messages.
    pub filter: Filter,
    /// At most so many commits.
    pub limit: usize,
    /// How many threads may be used where the index lags behind.
    pub jobs: usize,
}

/// Searches; an index that lags behind is brought up to date first.
///
/// # Errors
/// Where a filter is wrong, nothing is asked for, or the store fails.
pub fn search(store: &Store, request: &SearchRequest<'_>) -> Result<SearchAnswer, QueryError> {
    let cutter = Cutter::default();
    let stop: HashSet<String> = Facets::shipped()?.stop_words().map(str::to_lowercase).collect();
    let parsed = parse(&request.query, &cutter, &stop);
    if parsed.clauses.is_empty() {
        return Err(QueryError::NoWords(request.query.clone()));
    }
    let named = |upstream: &&&Upstream| {
        parsed.upstreams.is_empty() || parsed.upstreams.contains(&upstream.name)
    };
    let upstreams: Vec<&Upstream> = request.upstreams.iter().filter(named).copied().collect();
    if upstreams.is_empty() {
        return Err(QueryError::NoUpstream(parsed.upstreams.join(", ")));
    }
    let filter = Filter { merges: true, ..request.filter.clone() };
    let at_paths = match filter.globs()? {
        Some(globs) => Some(store.commits_at_paths(|path| globs.is_match(path))?),
        None => None,
    };
    let mut scope: HashSet<CommitId> = HashSet::new();
    let mut places: Vec<(UpstreamId, &Upstream, HashSet<CommitId>)> = Vec::new();
    for commits in Commits::each(store, &filter, &upstreams)? {
        let inside = commits.list.iter().zip(&commits.inside).filter(|(commit, inside)| {
            **inside && at_paths.as_ref().is_none_or(|ids| ids.contains(&commit.id))
        });
        let rows: HashSet<CommitId> = inside.map(|(commit, _)| commit.id).collect();
        scope.extend(&rows);
        places.push((commits.id, commits.upstream, rows));
    }
    let index = store.search(request.jobs)?;
    let searched = scope.len() as u64;
    let scope = Arc::new(scope);
    let keep = move |row: CommitId| scope.contains(&row);
    let store_error = headwater_store::StoreError::from;
    let (mut found, with_every_word) =
        index.find(&parsed.clauses, true, request.limit, keep.clone()).map_err(store_error)?;
    let whole = found.len();
    if whole < request.limit && parsed.clauses.len() > 1 {
        let (some, _) =
            index.find(&parsed.clauses, false, request.limit, keep).map_err(store_error)?;
        let known: HashSet<CommitId> = found.iter().map(|hit| hit.commit).collect();
        found.extend(some.into_iter().filter(|hit| !known.contains(&hit.commit)));
        found.truncate(request.limit);
    }
    let snippets = Snippets::new(&cutter, &parsed.clauses);
    let mut hits = Vec::with_capacity(found.len());
    for (at, hit) in found.into_iter().enumerate() {
        let of = places.iter().find(|(_, _, rows)| rows.contains(&hit.commit));
        let Some((id, upstream, _)) = of else { continue };
        let Some(patch) = store.patches(*id, &[hit.commit])?.pop() else {
            continue;
        };
        let commit = &patch.patch().commit;
        let place = store.place(patch.stored().id())?;
        hits.push(Hit {
            rank: hits.len() + 1,
            upstream: upstream.name.clone(),
            sha: commit.oid,
            subject: commit.subject().to_owned(),
            date: commit.committed,
            first_tag: place.and_then(|place| place.first_tag),
            score: hit.score,
            every_word: at < whole,
            snippets: snippets.of(&patch),
        });
    }
    Ok(SearchAnswer {
        schema: "headwater/search/1",
        query: request.query.clone(),
        tags: tags(store, &places, &parsed.texts)?,
        statements: statements(store, request, &upstreams, &parsed.texts)?,
        hits,
        with_every_word,
        searched,
        shortened: index.cut,
        note: NOTE,
        prove: prove(&upstreams, request.upstreams.len(), &parsed.texts),
    })
}

/// What people wrote, unless the search is narrowed to what only commits have.
fn statements(
    store: &Store,
    request: &SearchRequest<'_>,
    upstreams: &[&Upstream],
    texts: &[String],
) -> Result<Vec<StatementHit>, QueryError> {
    let filter = &request.filter;
    let narrowed = filter.class.is_some()
        || filter.author.is_some()
        || filter.window.is_some()
        || filter.since.is_some()
        || filter.until.is_some()
        || !filter.paths.is_empty();
    if narrowed || texts.is_empty() {
        return Ok(Vec::new());
    }
    let words: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut out = Vec::new();
    for upstream in upstreams {
        out.extend(search_statements(store, upstream, &words, request.limit)?);
    }
    Ok(out)
}

/// The tags whose names are among the words.
fn tags(
    store: &Store,
    places: &[(UpstreamId, &Upstream, HashSet<CommitId>)],
    texts: &[String],
) -> Result<Vec<NamedTag>, QueryError> {
    let mut tags = Vec::new();
    for (id, upstream, _) in places {
        for text in texts {
            for name in [text.clone(), format!("v{text}")] {
                if let Some(tag) = store.tag(*id, &name)? {
                    let upstream = upstream.name.clone();
                    tags.push(NamedTag { upstream, tag: tag.name, sha: tag.commit });
                }
            }
        }
    }
    Ok(tags)
}

/// The exact searches for the same words: of patches, and of messages.
fn prove(upstreams: &[&Upstream], all: usize, texts: &[String]) -> Vec<String> {
    if texts.is_empty() {
        return Vec::new();
    }
    let mut command = String::from("headwater grep -i -F");
    if upstreams.len() < all {
        for upstream in upstreams {
            command.push_str(&format!(" --upstream {}", upstream.name));
        }
    }
    let patterns: String = texts.iter().map(|text| format!(" -e {}", quote(text))).collect();
    vec![format!("{command}{patterns}"), format!("{command} --in message{patterns}")]
}
