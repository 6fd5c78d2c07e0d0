//! Which pins are others at the two ends of a window.

use std::collections::HashSet;

use headwater_store::upstream::{Upstream, Upstreams};
use headwater_store::{Oid, Store};

use super::{PinReader, PinValue};
use crate::QueryError;
use crate::window::{Resolver, WindowSpec};

/// A pin that is another at the newer end. Two pins at once (two submodules) are two,
/// each with its own home where both ends have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinMove {
    /// At the older end.
    pub old: Option<PinValue>,
    /// At the newer end.
    pub new: Option<PinValue>,
}

impl PinReader<'_> {
    /// The pins that differ between two trees, the older one first.
    ///
    /// # Errors
    /// As [`PinReader::pins`].
    pub fn moves(&mut self, trees: [Oid; 2]) -> Result<Vec<PinMove>, QueryError> {
        let (before, after) = (self.pins(trees[0])?, self.pins(trees[1])?);
        let mut seen = HashSet::new();
        let mut moves = Vec::new();
        for name in before.iter().chain(&after).map(|pin| &pin.pin) {
            if seen.insert(name) {
                moves.extend(paired(name, &before, &after));
            }
        }
        moves
            .retain(|pin| pin.old.as_ref().map(|p| &p.value) != pin.new.as_ref().map(|p| &p.value));
        Ok(moves)
    }
}

fn paired(name: &str, before: &[PinValue], after: &[PinValue]) -> Vec<PinMove> {
    let of = |pins: &[PinValue]| -> Vec<PinValue> {
        pins.iter().filter(|pin| pin.pin == name).cloned().collect()
    };
    let (old, new) = (of(before), of(after));
    if new.is_empty() {
        return old.into_iter().map(|pin| PinMove { old: Some(pin), new: None }).collect();
    }
    new.into_iter()
        .map(|pin| {
            let same_home = old.iter().find(|o| o.home == pin.home).or(old.last());
            PinMove { old: same_home.cloned(), new: Some(pin) }
        })
        .collect()
}

/// The pins that a stored window moved.
///
/// # Errors
/// Unknown ends, and those of the store.
pub fn moves(
    store: &Store,
    upstreams: &Upstreams,
    upstream: &Upstream,
    window: &WindowSpec,
) -> Result<Vec<PinMove>, QueryError> {
    let resolver = Resolver::new(store, upstream)?;
    let (base, head) = (resolver.resolve(&window.base)?, resolver.resolve(&window.head)?);
    let trees = [base.commit.commit().tree, head.commit.commit().tree];
    PinReader::new(store, upstreams, upstream)?.moves(trees)
}
