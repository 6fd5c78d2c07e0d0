//! How far behind what it pins a release is.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use headwater_store::graph::Node;
use headwater_store::upstream::{Upstream, Upstreams};
use headwater_store::{Oid, Store, StoredCommit};
use regex::Regex;
use schemars::JsonSchema;
use serde::Serialize;

use crate::QueryError;
use crate::pins::PinReader;

/// The classes whose changes are told when they are not shipped yet.
const TOLD: [&str; 3] = ["default-change", "cuda", "sampler"];

/// One release and one of its pins.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LagRow {
    /// The release.
    pub tag: String,
    /// When its commit was made: it was published at that time or later.
    pub date: DateTime<Utc>,
    /// The pin's name.
    pub pin: String,
    /// The value that it has.
    pub value: String,
    /// When the pinned commit was made.
    pub pinned: DateTime<Utc>,
    /// Days from the pinned commit to the release's.
    pub days: f64,
    /// Commits on the pinned upstream's branch at the release's time that it lacks.
    pub commits: usize,
}

/// A change on the pinned upstream's branch that no release holds yet.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Unshipped {
    /// The pinned upstream.
    pub upstream: String,
    /// The commit.
    pub sha: Oid,
    /// Its subject: a stranger's text.
    pub subject: String,
    /// When it was made.
    pub date: DateTime<Utc>,
    /// The first tag of the pinned upstream that holds it.
    pub first_tag: Option<String>,
    /// Which of the told classes it has.
    pub classes: Vec<String>,
}

/// How far behind what they pin an upstream's releases are.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Lag {
    /// `headwater/lag/1`
    pub schema: &'static str,
    /// The upstream.
    pub upstream: String,
    /// Its releases, newest first.
    pub releases: Vec<LagRow>,
    /// How many commits the newest release's pins lack now, by pinned upstream.
    pub now: BTreeMap<String, usize>,
    /// Those of them that move defaults, or are CUDA or sampler work, newest first.
    pub unshipped: Vec<Unshipped>,
    /// What could not be told.
    pub notes: Vec<String>,
}

/// The newest `most` final releases of an upstream, of those whose commits were made
/// before a moment, with what each pins.
///
/// # Errors
/// Those of the store.
pub fn lag(
    store: &Store,
    upstreams: &Upstreams,
    upstream: &Upstream,
    most: usize,
    before: Option<DateTime<Utc>>,
) -> Result<Lag, QueryError> {
    let id = store.upstream(&upstream.name)?;
    let is_final = Regex::new(&upstream.final_tag)
        .map_err(|e| QueryError::Rules { file: upstream.name.clone(), why: e.to_string() })?;
    let mut releases = Vec::new();
    for tag in store.tags(id)?.into_iter().filter(|tag| is_final.is_match(&tag.name)) {
        let commit = store.commit(id, tag.commit)?;
        let made = |commit: &StoredCommit| commit.commit().committed;
        if let Some(commit) = commit.filter(|one| before.is_none_or(|at| made(one) < at)) {
            releases.push((commit.commit().committed, tag.name, commit));
        }
    }
    releases.sort_by(|a, b| (b.0, &b.1).cmp(&(a.0, &a.1)));
    releases.truncate(most);
    let mut reader = PinReader::new(store, upstreams, upstream)?;
    let mut out = Lag {
        schema: "headwater/lag/1",
        upstream: upstream.name.clone(),
        releases: Vec::new(),
        now: BTreeMap::new(),
        unshipped: Vec::new(),
        notes: Vec::new(),
    };
    let mut graphs = BTreeMap::new();
    let mut unknown = Vec::new();
    for (at, (date, tag, commit)) in releases.iter().enumerate() {
        for pin in reader.pins(commit.commit().tree)? {
            let Some(pinned) = upstreams.find(&pin.upstream) else {
                if at == 0 {
                    unknown.push(format!(
                        "{tag} pins {} {}, and that upstream is not tracked: how far behind it is cannot be told (docs/upstreams.md tells how to declare one)",
                        pin.upstream, pin.value
                    ));
                }
                continue;
            };
            let target = match reader.target(&pin)? {
                Ok(target) => target.commit,
                Err(why) => {
                    out.notes.push(format!("{tag}: {why}"));
                    continue;
                }
            };
            let pinned_id = store.upstream(&pinned.name)?;
            if !graphs.contains_key(&pinned.name) {
                graphs.insert(pinned.name.clone(), store.graph(pinned_id)?);
            }
            let Some(graph) = graphs.get(&pinned.name) else { continue };
            let head = store.branch(pinned_id, &pinned.branch)?;
            let head = head.and_then(|(head, _)| graph.node(head));
            let (Some(head), Some(node)) = (head, graph.node(target.commit().oid)) else {
                out.notes.push(format!("{tag}: the head of {} is not stored", pinned.name));
                continue;
            };
            let lacked = graph.between(node, head);
            let until = date.timestamp();
            out.releases.push(LagRow {
                tag: tag.clone(),
                date: *date,
                pin: pin.pin,
                value: pin.value,
                pinned: target.commit().committed,
                days: days(target.commit().committed, *date),
                commits: lacked.iter().filter(|n| graph.committed(**n) <= until).count(),
            });
            if at == 0 {
                out.now.insert(pinned.name.clone(), lacked.len());
                let rows: Vec<_> = lacked.iter().map(|node: &Node| graph.id(*node)).collect();
                unshipped(store, pinned, &rows, &mut out.unshipped)?;
            }
        }
    }
    // An answer without a row says why.
    if out.releases.is_empty() && out.notes.is_empty() {
        out.notes = unknown;
        if let (true, Some((_, tag, _))) = (out.notes.is_empty(), releases.first()) {
            out.notes.push(format!("{tag} pins nothing"));
        }
    }
    Ok(out)
}

fn unshipped(
    store: &Store,
    pinned: &Upstream,
    rows: &[headwater_store::CommitId],
    out: &mut Vec<Unshipped>,
) -> Result<(), QueryError> {
    let id = store.upstream(&pinned.name)?;
    for commit in store.commits(id, rows)? {
        let mut classes: Vec<String> = store
            .labels(commit.id())?
            .into_iter()
            .map(|label| label.class)
            .filter(|class| TOLD.contains(&class.as_str()))
            .collect();
        classes.dedup();
        if !classes.is_empty() {
            out.push(Unshipped {
                upstream: pinned.name.clone(),
                sha: commit.commit().oid,
                subject: commit.commit().subject().to_owned(),
                date: commit.commit().committed,
                first_tag: store.place(commit.id())?.and_then(|place| place.first_tag),
                classes,
            });
        }
    }
    Ok(())
}

/// Days between two times, to a tenth.
fn days(from: DateTime<Utc>, to: DateTime<Utc>) -> f64 {
    ((to - from).as_seconds_f64() / 8640.0).round() / 10.0
}
