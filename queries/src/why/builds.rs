//! Which releases between a window's ends have files to download and try next.

use std::collections::{HashMap, HashSet};

use headwater_store::{Oid, StatementKind, Store};

use super::collect::Collected;
use super::report::{BuildToTry, Candidate};
use crate::QueryError;

/// So many are told.
const MOST: usize = 3;
/// So many releases are looked at, those that part the changes best first.
const TRIES: usize = 24;

/// The releases of a window with stored files that part best what is left of it: about as
/// many changes before as after. In the order of how much of it they hold.
pub(super) fn to_try(
    store: &Store,
    window: &Collected<'_>,
    candidates: &[Candidate],
) -> Result<Vec<BuildToTry>, QueryError> {
    let (graph, report) = (&window.graph, &window.report);
    let (Some(base), Some(id)) =
        (graph.node(report.base_sha), store.find_upstream(&window.upstream.name)?)
    else {
        return Ok(Vec::new());
    };
    let own = candidates.iter().filter(|c| c.upstream == window.upstream.name);
    let left: HashSet<Oid> = own.clone().filter(|c| c.verdict.is_open()).map(|c| c.sha).collect();
    if left.len() < 2 || !store.has_statements(id)? {
        return Ok(Vec::new());
    }
    let tags: HashSet<&str> = own.filter_map(|c| c.first_tag.as_deref()).collect();
    let inside = window.commits();
    // Near the middle by place first: what each holds exactly is counted for few.
    let place: HashMap<Oid, usize> =
        window.patches.iter().enumerate().map(|(at, p)| (p.stored().commit().oid, at)).collect();
    let mut near: Vec<(usize, String, Oid)> = Vec::new();
    for name in tags {
        let Some(tag) = store.tag(id, name)? else { continue };
        let Some(at) = place.get(&tag.commit).filter(|_| tag.commit != report.head_sha) else {
            continue;
        };
        near.push((at.abs_diff(window.patches.len() / 2), tag.name, tag.commit));
    }
    near.sort();
    let mut found = Vec::new();
    for (_, tag, commit) in near.into_iter().take(TRIES) {
        let Some(node) = graph.node(commit).filter(|node| inside.contains(node)) else { continue };
        let held = graph.between(base, node).into_iter();
        let before = held.filter(|node| left.contains(&graph.oid(*node))).count();
        if before == 0 || before == left.len() {
            continue;
        }
        let stored = store.statement(id, StatementKind::Release, &tag)?;
        let files =
            stored.iter().find_map(|one| Some(one.said.detail.get("assets")?.as_array()?.len()));
        let url = stored.first().map(|one| one.said.url.clone()).unwrap_or_default();
        if let Some(files) = files.filter(|files| *files > 0) {
            let after = left.len() - before;
            found.push(BuildToTry { tag, sha: commit, files, before, after, url });
        }
    }
    found.sort_by_key(|one| (one.before.abs_diff(one.after), one.tag.clone()));
    found.truncate(MOST);
    found.sort_by_key(|one| (one.before, one.tag.clone()));
    Ok(found)
}
