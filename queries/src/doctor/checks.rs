//! The checks that look at everything of one kind.

use headwater_store::upstream::{Upstream, Upstreams};
use headwater_store::{IndexState, Store, UpstreamId};

use super::Told;
use crate::QueryError;
use crate::derive::labels::Sources;
use crate::derive::{default_events, labels, places, ranking};

/// What helps where records themselves are damaged: they are not made from anything here.
const ANEW: &str =
    "headwater --store NEW crawl UPSTREAM --from-git DIR, then put NEW in this store's place";

pub(super) fn database(store: &Store) -> Result<Told, QueryError> {
    let found = store.integrity()?;
    Ok(if found.is_empty() {
        Told::fine("SQLite finds it sound")
    } else {
        Told::problem(format!("SQLite finds it damaged: {}", found.join("; ")), ANEW)
    })
}

pub(super) fn references(store: &Store) -> Result<Told, QueryError> {
    let broken = store.broken_references()?;
    if broken.is_empty() {
        return Ok(Told::fine("every row that a row names is there"));
    }
    let told: Vec<String> = broken
        .iter()
        .map(|(table, parent, rows)| format!("{rows} of {table} name no {parent}"))
        .collect();
    Ok(Told::problem(told.join("; "), ANEW))
}

pub(super) fn exact(store: &Store) -> Result<Told, QueryError> {
    index(store.exact_state()?, "patches", "headwater rebuild exact", || store.damaged_exact())
}

pub(super) fn search(store: &Store) -> Result<Told, QueryError> {
    index(store.search_state()?, "commits", "headwater rebuild search", || store.damaged_search())
}

fn index(
    state: IndexState,
    of: &str,
    fix: &str,
    damaged: impl FnOnce() -> Result<Vec<String>, headwater_store::StoreError>,
) -> Result<Told, QueryError> {
    Ok(match state {
        IndexState::Missing => Told::problem("there is none", fix),
        IndexState::Damaged(why) => Told::problem(format!("it cannot be read: {why}"), fix),
        IndexState::Foreign => Told::problem("it was made from other records", fix),
        IndexState::Behind(rows) => {
            Told::problem(format!("it lacks the last {rows} rows of the records"), fix)
        }
        IndexState::Current(bytes) => {
            let damaged = damaged()?;
            if damaged.is_empty() {
                let size = bytes as f64 / 1e6;
                Told::fine(format!(
                    "it covers all {of}, and its {size:.1} MB are as they were written"
                ))
            } else {
                Told::problem(damaged.join("; "), fix)
            }
        }
    })
}

pub(super) fn crawl(store: &Store, id: UpstreamId, name: &str) -> Result<Told, QueryError> {
    let fix = format!("headwater crawl {name} --from-git DIR");
    Ok(match store.last_crawl(id, None)? {
        None => Told::problem("no crawl is recorded", fix),
        Some(crawl) if crawl.finished.is_none() => {
            let begun = crawl.started.format("%Y-%m-%dT%H:%M:%SZ");
            Told::problem(
                format!("the crawl of {} that began {begun} did not end", crawl.scope),
                fix,
            )
        }
        Some(crawl) => Told::fine(format!(
            "the last one ({}) ended; {} commits in scope",
            crawl.scope, crawl.commits
        )),
    })
}

pub(super) fn receipts(store: &Store, id: UpstreamId) -> Result<Told, QueryError> {
    let commits = store.count_commits(id)?;
    Ok(match store.without_receipt(id)? {
        0 => Told::fine(format!("each of {commits} commits has one")),
        n => Told::problem(format!("{n} of {commits} commits have none"), ANEW),
    })
}

pub(super) fn objects(
    store: &Store,
    id: UpstreamId,
    name: &str,
    upstreams: &Upstreams,
) -> Result<Told, QueryError> {
    let fix = format!("headwater crawl {name} --from-git DIR, with a clone");
    let objects = match store.objects(name) {
        Ok(objects) => objects,
        Err(error) => return Ok(Told::problem(error.to_string(), fix)),
    };
    if let Some(dir) = objects.lost_clone() {
        return Ok(Told::problem(
            format!("they were read from {}, which is gone", dir.display()),
            fix,
        ));
    }
    let Some(upstream) = upstreams.find(name) else {
        return Ok(Told::fine("they can be reached"));
    };
    let Some((head, _)) = store.branch(id, &upstream.branch)? else {
        return Ok(Told::problem(format!("no head of {} is recorded", upstream.branch), fix));
    };
    let tree = store.commit(id, head)?.map(|commit| commit.commit().tree);
    let mut reader = objects.reader();
    Ok(match tree.map(|tree| reader.tree(tree)) {
        Some(Ok(entries)) => {
            Told::fine(format!("{} entries of {} can be read", entries.len(), head.short()))
        }
        Some(Err(error)) => Told::problem(error.to_string(), fix),
        None => Told::problem(format!("the head {} is not among the records", head.short()), fix),
    })
}

/// The derived tables, one check each.
pub(super) fn derived(
    store: &Store,
    upstream: &Upstream,
    sources: Sources<'_>,
) -> Vec<(&'static str, Result<Told, QueryError>)> {
    let name = &upstream.name;
    let told = |current: Result<bool, QueryError>, what: &str| {
        current.map(|current| {
            if current {
                Told::fine("every commit is done, by the rules in force")
            } else {
                Told::problem(
                    "commits are not done, or by other rules",
                    format!("headwater rebuild {what}"),
                )
            }
        })
    };
    vec![
        ("places", told(places::is_current(store, upstream), "places")),
        (
            "default events",
            told(default_events::is_current(store, name, sources.extractors), "defaults"),
        ),
        ("labels", told(labels::is_current(store, name, sources), "labels")),
        ("ranking", told(ranking::is_current(store, name), "ranking")),
    ]
}
