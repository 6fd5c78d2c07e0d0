//! What commits of one window say of each other: reverts, and merges with their
//! members.

use std::collections::{HashMap, HashSet};

use headwater_store::Oid;

use super::features::CommitFeatures;
use super::mentions::{Mention, MentionKind, MentionTarget};
use super::score::{Candidate, Ranked, ReasonKind, descending, push};
use super::weights::Weights;

/// Commits that are undone within the window, and the commits that undo them,
/// each with the other.
pub(super) fn reverted(candidates: &[Candidate<'_>]) -> HashMap<Oid, Oid> {
    let mut out = HashMap::new();
    for candidate in candidates {
        let mut reverts =
            candidate.commit.mentions.iter().filter(|m| m.kind == MentionKind::Revert);
        let target = reverts.find_map(|mention| {
            let meant = |other: &&Candidate<'_>| is_meant(mention, other.commit);
            candidates.iter().find(meant).map(|other| other.commit.oid)
        });
        if let Some(target) = target.filter(|target| *target != candidate.commit.oid) {
            out.insert(candidate.commit.oid, target);
            out.insert(target, candidate.commit.oid);
        }
    }
    out
}

/// Whether a mention means this commit.
pub fn is_meant(mention: &Mention, commit: &CommitFeatures) -> bool {
    match &mention.target {
        MentionTarget::Pull(number) => commit.pull == Some(*number),
        MentionTarget::Sha(start) => commit.oid.to_string().starts_with(start.as_str()),
    }
}

/// So much less than the best of its commits has a merge: it stands after it.
const AFTER: f64 = 0.01;

/// Scores each merge as the best of the commits that it merges.
pub(super) fn merges(candidates: &[Candidate<'_>], ranked: &mut [Ranked], weights: &Weights) {
    let parents: HashMap<Oid, &[Oid]> =
        candidates.iter().map(|c| (c.commit.oid, c.commit.parents.as_slice())).collect();
    let scores: HashMap<Oid, f64> = ranked.iter().map(|r| (r.oid, r.score)).collect();
    for merge in ranked {
        let Some([first, others @ ..]) = parents.get(&merge.oid).copied() else { continue };
        if others.is_empty() {
            continue;
        }
        let mut known = HashSet::new();
        reach(&parents, *first, &mut known);
        let main = known.clone();
        others.iter().for_each(|other| reach(&parents, *other, &mut known));
        let mut members: Vec<(f64, Oid)> =
            known.difference(&main).filter_map(|oid| Some((*scores.get(oid)?, *oid))).collect();
        members.sort_by(|a, b| descending(a.0, b.0).then(a.1.cmp(&b.1)));
        let Some((best, member)) = members.first().copied() else { continue };
        push(
            &mut merge.reasons,
            ReasonKind::Merge,
            weights.structure.merge * (best - AFTER - merge.score),
            match members.len() {
                1 => format!("merges {}", member.short()),
                n => format!("merges {n} commits, of which {} scores best", member.short()),
            },
            vec![member.to_string()],
        );
    }
}

/// The commits of the window that `from` reaches, itself included.
fn reach(parents: &HashMap<Oid, &[Oid]>, from: Oid, seen: &mut HashSet<Oid>) {
    let mut open = vec![from];
    while let Some(oid) = open.pop() {
        let Some(next) = parents.get(&oid) else { continue };
        if seen.insert(oid) {
            open.extend(next.iter());
        }
    }
}
