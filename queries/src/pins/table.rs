//! The pins of every tag.

use headwater_store::upstream::{Upstream, Upstreams};
use headwater_store::{Oid, Store};
use schemars::JsonSchema;
use serde::Serialize;

use super::moved::Moves;
use super::read::PinReader;
use crate::QueryError;

/// What one tag pins, through one home.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PinRow {
    /// The tag.
    pub tag: String,
    /// The pin's name; empty where the tag pins nothing.
    pub pin: String,
    /// The pinned upstream.
    pub upstream: String,
    /// The value as it stands in the tree; `None` where the tag pins nothing.
    pub value: Option<String>,
    /// The commit it means, where it could be told.
    pub target_sha: Option<Oid>,
    /// The pinned upstream's build number of that commit.
    pub build: Option<String>,
    /// The commit that moved the pin to this value.
    pub moved_by: Option<Oid>,
    /// The path that holds it.
    pub home: Option<String>,
    /// Whether the value is a build number whose tag is missing, resolved by counting.
    pub derived: bool,
    /// Why the commit could not be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unresolved: Option<String>,
}

/// The tags that are wanted, by their names and by how many are newer, with their pins: in
/// the order of the tagged commits' dates; a tag that pins nothing has one row that says so.
///
/// # Errors
/// Those of the store and the object store.
pub fn pins(
    store: &Store,
    upstreams: &Upstreams,
    upstream: &Upstream,
    wanted: &dyn Fn(&str, usize) -> bool,
) -> Result<Vec<PinRow>, QueryError> {
    let id = store.upstream(&upstream.name)?;
    let graph = store.graph(id)?;
    let mut reader = PinReader::new(store, upstreams, upstream)?;
    let mut moves = Moves::new(store, id);
    let mut tags = store.tags(id)?;
    tags.sort_by_key(|tag| {
        (graph.node(tag.commit).map_or(0, |node| graph.committed(node)), tag.name.clone())
    });
    let mut rows = Vec::new();
    let all = tags.len();
    let wanted = tags.into_iter().enumerate().filter(|(at, tag)| wanted(&tag.name, all - at - 1));
    for (_, tag) in wanted {
        let Some(node) = graph.node(tag.commit) else { continue };
        let Some(commit) = store.commit(id, tag.commit)? else { continue };
        let found = reader.pins(commit.commit().tree)?;
        let contained = graph.reachable([node]);
        if found.is_empty() {
            rows.push(PinRow {
                tag: tag.name,
                pin: String::new(),
                upstream: String::new(),
                value: None,
                target_sha: None,
                build: None,
                moved_by: None,
                home: None,
                derived: false,
                unresolved: None,
            });
            continue;
        }
        for value in found {
            let moved_by = moves.mover(&value, &graph, &contained)?;
            let target = reader.target(&value)?;
            let (target, unresolved) = match target {
                Ok(target) => (Some(target), None),
                Err(gap) => (None, Some(gap.why)),
            };
            rows.push(PinRow {
                tag: tag.name.clone(),
                pin: value.pin,
                upstream: value.upstream,
                value: Some(value.value),
                target_sha: target.as_ref().map(|t| t.commit.commit().oid),
                build: target.as_ref().and_then(|t| t.build.clone()),
                moved_by,
                home: Some(value.home),
                derived: target.is_some_and(|t| t.derived),
                unresolved,
            });
        }
    }
    Ok(rows)
}
