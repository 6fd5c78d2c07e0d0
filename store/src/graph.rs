//! The commit graph of one upstream, in memory.

use std::collections::HashMap;

use crate::Oid;
use crate::db::CommitId;

/// The place of a commit in a [`CommitGraph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(u32);

impl Node {
    fn at(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug)]
struct Entry {
    id: CommitId,
    oid: Oid,
    committed: i64,
    /// Where its parents begin among all parents.
    first_parent: usize,
    /// How many parents it has.
    declared: u32,
    /// How many of them are stored; set by [`CommitGraph::link`].
    stored: u32,
}

/// Commits and their parents. A parent that is not stored ends the walk there, and
/// [`CommitGraph::is_cut`] tells it.
#[derive(Debug, Default)]
pub struct CommitGraph {
    entries: Vec<Entry>,
    /// Every commit's parents, one after the other, until they are linked.
    unlinked: Vec<Oid>,
    /// Those that are stored, as nodes.
    parents: Vec<Node>,
    by_oid: HashMap<Oid, Node, foldhash::fast::RandomState>,
}

/// A set of commits of one graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeSet {
    bits: Vec<u64>,
    len: usize,
}

impl NodeSet {
    fn new(nodes: usize) -> Self {
        NodeSet { bits: vec![0; nodes.div_ceil(64)], len: 0 }
    }

    /// Whether the commit is in it.
    pub fn contains(&self, node: Node) -> bool {
        self.bits.get(node.at() / 64).is_some_and(|word| word >> (node.at() % 64) & 1 == 1)
    }

    fn insert(&mut self, node: Node) -> bool {
        let Some(word) = self.bits.get_mut(node.at() / 64) else { return false };
        let bit = 1 << (node.at() % 64);
        let new = *word & bit == 0;
        *word |= bit;
        self.len += usize::from(new);
        new
    }

    /// How many commits it holds.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl CommitGraph {
    pub(crate) fn add(
        &mut self,
        id: CommitId,
        oid: Oid,
        parents: impl IntoIterator<Item = Oid>,
        committed: i64,
    ) {
        let Ok(at) = u32::try_from(self.entries.len()) else { return };
        self.by_oid.insert(oid, Node(at));
        let first_parent = self.unlinked.len();
        self.unlinked.extend(parents);
        let declared = u32::try_from(self.unlinked.len() - first_parent).unwrap_or(u32::MAX);
        self.entries.push(Entry { id, oid, committed, first_parent, declared, stored: 0 });
    }

    /// Finds every parent, once all commits are there.
    pub(crate) fn link(&mut self) {
        self.parents.reserve(self.unlinked.len());
        for entry in &mut self.entries {
            let end = entry.first_parent + entry.declared as usize;
            let oids = self.unlinked.get(entry.first_parent..end).unwrap_or_default();
            let before = self.parents.len();
            self.parents.extend(oids.iter().filter_map(|oid| self.by_oid.get(oid).copied()));
            entry.first_parent = before;
            entry.stored = u32::try_from(self.parents.len() - before).unwrap_or(u32::MAX);
        }
        self.unlinked = Vec::new();
    }

    /// How many commits it holds.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The node of a commit, if it is stored.
    pub fn node(&self, oid: Oid) -> Option<Node> {
        self.by_oid.get(&oid).copied()
    }

    /// Every node, in no order of history.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + use<> {
        (0..u32::try_from(self.entries.len()).unwrap_or(u32::MAX)).map(Node)
    }

    /// The commit's object id.
    pub fn oid(&self, node: Node) -> Oid {
        self.entries.get(node.at()).map_or(Oid::ZERO, |e| e.oid)
    }

    /// The commit's row.
    pub fn id(&self, node: Node) -> CommitId {
        self.entries.get(node.at()).map_or(CommitId::NONE, |e| e.id)
    }

    /// The committer's date, in seconds since 1970.
    pub fn committed(&self, node: Node) -> i64 {
        self.entries.get(node.at()).map_or(0, |e| e.committed)
    }

    /// The stored parents, first parent first.
    pub fn parents(&self, node: Node) -> &[Node] {
        self.entries
            .get(node.at())
            .and_then(|e| self.parents.get(e.first_parent..e.first_parent + e.stored as usize))
            .unwrap_or_default()
    }

    /// Whether the commit has more than one parent.
    pub fn is_merge(&self, node: Node) -> bool {
        self.entries.get(node.at()).is_some_and(|e| e.declared > 1)
    }

    /// Whether a parent of the commit is not stored.
    pub fn is_cut(&self, node: Node) -> bool {
        self.entries.get(node.at()).is_some_and(|e| e.stored < e.declared)
    }

    /// The commits that can be reached from `starts`, themselves included.
    pub fn reachable(&self, starts: impl IntoIterator<Item = Node>) -> NodeSet {
        let mut seen = NodeSet::new(self.entries.len());
        self.extend_reachable(&mut seen, starts, |_| ());
        seen
    }

    /// Adds what can be reached from `starts` and is not in `seen` yet, and tells each
    /// new commit.
    pub fn extend_reachable(
        &self,
        seen: &mut NodeSet,
        starts: impl IntoIterator<Item = Node>,
        mut each: impl FnMut(Node),
    ) {
        let mut stack: Vec<Node> = starts.into_iter().collect();
        while let Some(node) = stack.pop() {
            if seen.insert(node) {
                each(node);
                stack.extend_from_slice(self.parents(node));
            }
        }
    }

    /// The commits of `base..head`, newest first by committer date (children before
    /// parents where dates tie), as `git log` lists them.
    pub fn between(&self, base: Node, head: Node) -> Vec<Node> {
        let mut seen = self.reachable([base]);
        let mut found = Vec::new();
        self.extend_reachable(&mut seen, [head], |node| found.push(node));
        found.sort_by_key(|node| (std::cmp::Reverse(self.committed(*node)), self.oid(*node)));
        found
    }

    /// Every commit, parents before children.
    pub fn topological(&self) -> Vec<Node> {
        let mut order = Vec::with_capacity(self.entries.len());
        let mut done = NodeSet::new(self.entries.len());
        for start in self.nodes() {
            let mut stack = vec![(start, false)];
            while let Some((node, parents_done)) = stack.pop() {
                if parents_done {
                    order.push(node);
                } else if done.insert(node) {
                    stack.push((node, true));
                    stack.extend(
                        self.parents(node)
                            .iter()
                            .filter(|p| !done.contains(**p))
                            .map(|p| (*p, false)),
                    );
                }
            }
        }
        order
    }

    /// How many commits each one reaches, itself included; indexed like [`Self::nodes`].
    pub fn reachable_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.entries.len()];
        for node in self.topological() {
            let count = match self.parents(node) {
                [] => 1,
                [one] => counts.get(one.at()).copied().unwrap_or(0) + 1,
                _ => u32::try_from(self.reachable([node]).len()).unwrap_or(u32::MAX),
            };
            if let Some(slot) = counts.get_mut(node.at()) {
                *slot = count;
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oid(n: u8) -> Oid {
        Oid::from_bytes([n; 20])
    }

    /// 1 - 2 - 4 (merge of 2 and 3), 3 on 1; 5 on 2.
    fn graph() -> CommitGraph {
        let mut graph = CommitGraph::default();
        for (n, parents) in [(4, vec![2, 3]), (1, vec![]), (2, vec![1]), (3, vec![1]), (5, vec![2])]
        {
            let parents = parents.into_iter().map(oid);
            graph.add(CommitId(i64::from(n)), oid(n), parents, i64::from(n));
        }
        graph.link();
        graph
    }

    #[test]
    fn counts_and_windows_are_those_of_git() {
        let graph = graph();
        let node = |n| graph.node(oid(n)).unwrap();
        let counts = graph.reachable_counts();
        let count = |n| counts[node(n).at()];
        assert_eq!([count(1), count(2), count(3), count(4), count(5)], [1, 2, 2, 4, 3]);
        let between: Vec<Oid> =
            graph.between(node(5), node(4)).into_iter().map(|n| graph.oid(n)).collect();
        assert_eq!(between, [oid(4), oid(3)]);
        assert!(graph.between(node(4), node(1)).is_empty());
        assert!(!graph.is_cut(node(4)));
    }

    #[test]
    fn topological_order_puts_parents_first() {
        let graph = graph();
        let order = graph.topological();
        let at = |n| order.iter().position(|node| graph.oid(*node) == oid(n)).unwrap();
        assert!(at(1) < at(2) && at(2) < at(4) && at(3) < at(4) && at(2) < at(5));
        assert_eq!(order.len(), 5);
    }
}
