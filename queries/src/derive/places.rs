//! Where each commit stands: on the default branch or not, how many commits it reaches,
//! the first tag that contains it and the first that shipped it.

use std::collections::HashMap;

use headwater_store::graph::{CommitGraph, Node};
use headwater_store::upstream::{Upstream, Version};
use headwater_store::{CommitId, Oid, Place, Store, UpstreamId};
use regex::Regex;
use sha2::{Digest as _, Sha256};

use crate::QueryError;

/// Derives the places of an upstream's commits where refs or commits moved since; tells
/// whether anything was done.
///
/// # Errors
/// Those of the store.
pub fn derive(store: &mut Store, upstream: &Upstream) -> Result<bool, QueryError> {
    let id = store.upstream(&upstream.name)?;
    let source = source(store, id, upstream)?;
    if store.derivation("places", id)?.is_some_and(|d| d.rules == source) {
        return Ok(false);
    }
    store.derives()?;
    let places = places(store, id, upstream)?;
    store.replace_places(id, &source, &places)?;
    Ok(true)
}

/// Whether the places of an upstream's commits are those of its refs and commits.
///
/// # Errors
/// Those of the store.
pub fn is_current(store: &Store, upstream: &Upstream) -> Result<bool, QueryError> {
    let id = store.upstream(&upstream.name)?;
    let source = source(store, id, upstream)?;
    Ok(store.derivation("places", id)?.is_some_and(|d| d.rules == source))
}

/// The hash of everything that places depend on.
fn source(store: &Store, id: UpstreamId, upstream: &Upstream) -> Result<Vec<u8>, QueryError> {
    let mut hash = Sha256::new();
    // Grows with the order of tags.
    hash.update("places 2");
    hash.update(upstream.final_tag.as_bytes());
    hash.update(store.count_commits(id)?.to_le_bytes());
    for tag in store.tags(id)? {
        hash.update(tag.name.as_bytes());
        hash.update([0]);
        hash.update(tag.commit.as_bytes());
    }
    if let Some((head, _)) = store.branch(id, &upstream.branch)? {
        hash.update(head.as_bytes());
    }
    for scope in store.crawled_scopes(id)? {
        hash.update(scope.as_bytes());
        hash.update([0]);
    }
    Ok(hash.finalize().to_vec())
}

/// A tag that places speak of, in the order in which tags were made.
struct TagAt {
    name: String,
    node: Node,
    is_final: bool,
    /// Whether it names a version at all.
    is_version: bool,
}

fn places(
    store: &Store,
    id: UpstreamId,
    upstream: &Upstream,
) -> Result<Vec<(CommitId, Place)>, QueryError> {
    let graph = store.graph(id)?;
    let tags = tags_in_order(store, id, upstream, &graph)?;
    let on_branch = graph.reachable(branch_heads(store, id, upstream, &graph)?);
    // A cut history cannot be counted; where its builds are numbered, they tell.
    let counts = match graph.nodes().any(|node| graph.is_cut(node)) {
        true => counts_by_builds(&graph, &tags, upstream),
        false => graph.reachable_counts(),
    };
    let first = first_tags(&graph, &tags, |_| true);
    let first_final = first_tags(&graph, &tags, |tag| tag.is_final);
    let twins = store.twin_groups(id)?;
    let mut shipped: HashMap<Oid, (Option<usize>, Option<usize>)> = HashMap::new();
    for group in &twins {
        let nodes: Vec<Node> = group.iter().filter_map(|oid| graph.node(*oid)).collect();
        let earliest =
            |of: &HashMap<Node, usize>| nodes.iter().filter_map(|n| of.get(n)).min().copied();
        let pair = (earliest(&first), earliest(&first_final));
        shipped.extend(group.iter().map(|oid| (*oid, pair)));
    }
    let name = |at: Option<usize>| at.and_then(|at| tags.get(at)).map(|tag| tag.name.clone());
    let mut places = Vec::with_capacity(graph.len());
    for (node, count) in graph.nodes().zip(counts) {
        let own = (first.get(&node).copied(), first_final.get(&node).copied());
        let with_twins = shipped.get(&graph.oid(node)).copied().unwrap_or(own);
        let place = Place {
            on_branch: on_branch.contains(node),
            reachable: count,
            first_tag: name(own.0),
            first_final_tag: name(own.1),
            first_shipped: name(with_twins.0),
            first_final_shipped: name(with_twins.1),
        };
        places.push((graph.id(node), place));
    }
    Ok(places)
}

fn tags_in_order(
    store: &Store,
    id: UpstreamId,
    upstream: &Upstream,
    graph: &CommitGraph,
) -> Result<Vec<TagAt>, QueryError> {
    let is_final = Regex::new(&upstream.final_tag)
        .map_err(|e| QueryError::Rules { file: upstream.name.clone(), why: e.to_string() })?;
    let mut tags: Vec<TagAt> = store
        .tags(id)?
        .into_iter()
        .filter_map(|tag| {
            let node = graph.node(tag.commit)?;
            let build = upstream.build_prefix.as_deref();
            let build = build.and_then(|prefix| tag.name.strip_prefix(prefix));
            let is_version = Version::of(upstream, &tag.name).is_some()
                || build.is_some_and(|number| number.parse::<u32>().is_ok());
            Some(TagAt { is_final: is_final.is_match(&tag.name), is_version, node, name: tag.name })
        })
        .collect();
    // By the date of the commit, which is when it could first be tagged; where two tags
    // share a commit, what names a version first, the candidate before the release, and the
    // shorter name.
    tags.sort_by(|a, b| {
        let key = |tag: &TagAt| {
            (graph.committed(tag.node), !tag.is_version, tag.is_final, tag.name.len())
        };
        key(a).cmp(&key(b)).then_with(|| a.name.cmp(&b.name))
    });
    Ok(tags)
}

/// The newest commits that count as the branch's: its head; where windows alone are
/// stored, which nothing joins to the head, the newer end of each.
fn branch_heads(
    store: &Store,
    id: UpstreamId,
    upstream: &Upstream,
    graph: &CommitGraph,
) -> Result<Vec<Node>, QueryError> {
    let head = store.branch(id, &upstream.branch)?.and_then(|(oid, _)| graph.node(oid));
    let mut heads: Vec<Node> = head.into_iter().collect();
    let scopes = store.crawled_scopes(id)?;
    if scopes.iter().any(|scope| scope == "whole") {
        return Ok(heads);
    }
    for scope in &scopes {
        let Some((_, end)) = scope.split_once("..") else { continue };
        let tagged = store.tag(id, end)?.map(|tag| tag.commit);
        heads.extend(tagged.or_else(|| end.parse().ok()).and_then(|oid| graph.node(oid)));
    }
    Ok(heads)
}

/// How many commits each one reaches, by the numbers of tagged builds; 0 where they do
/// not tell. A commit with one parent reaches one more than that parent.
fn counts_by_builds(graph: &CommitGraph, tags: &[TagAt], upstream: &Upstream) -> Vec<u32> {
    let mut counts: HashMap<Node, u32> = HashMap::new();
    let Some(prefix) = &upstream.build_prefix else { return vec![0; graph.len()] };
    let mut children: HashMap<Node, Vec<Node>> = HashMap::new();
    for node in graph.nodes().filter(|node| !graph.is_merge(*node)) {
        for parent in graph.parents(node) {
            children.entry(*parent).or_default().push(node);
        }
    }
    let numbered =
        |tag: &TagAt| Some((tag.node, tag.name.strip_prefix(prefix.as_str())?.parse().ok()?));
    let mut stack: Vec<(Node, u32)> = tags.iter().filter_map(numbered).collect();
    while let Some((node, count)) = stack.pop() {
        if counts.contains_key(&node) {
            continue;
        }
        counts.insert(node, count);
        let newer = children.get(&node).into_iter().flatten().map(|child| (*child, count + 1));
        stack.extend(newer);
        if let ([parent], false) = (graph.parents(node), graph.is_merge(node))
            && count > 1
        {
            stack.push((*parent, count - 1));
        }
    }
    graph.nodes().map(|node| counts.get(&node).copied().unwrap_or(0)).collect()
}

/// For each commit the place in `tags` of the first one that contains it.
fn first_tags(
    graph: &CommitGraph,
    tags: &[TagAt],
    wanted: impl Fn(&TagAt) -> bool,
) -> HashMap<Node, usize> {
    let mut first = HashMap::with_capacity(graph.len());
    let mut seen = graph.reachable(None);
    for (at, tag) in tags.iter().enumerate().filter(|(_, tag)| wanted(tag)) {
        graph.extend_reachable(&mut seen, [tag.node], |node| {
            first.insert(node, at);
        });
    }
    first
}
