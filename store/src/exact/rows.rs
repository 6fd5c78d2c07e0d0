//! Sets of rows.

/// A set of the rows of one segment, as bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowSet {
    len: u32,
    bits: Vec<u64>,
}

impl RowSet {
    /// The empty set over `len` rows.
    pub fn none(len: u32) -> Self {
        Self { len, bits: vec![0; len.div_ceil(64) as usize] }
    }

    /// The set of all `len` rows.
    pub fn all(len: u32) -> Self {
        let mut bits = vec![u64::MAX; len.div_ceil(64) as usize];
        if let (Some(last), true) = (bits.last_mut(), !len.is_multiple_of(64)) {
            *last = (1 << (len % 64)) - 1;
        }
        Self { len, bits }
    }

    /// Adds a row; one beyond the end, which only a damaged index names, is dropped.
    #[inline]
    pub fn insert(&mut self, row: u32) {
        if row < self.len
            && let Some(word) = self.bits.get_mut((row / 64) as usize)
        {
            *word |= 1 << (row % 64);
        }
    }

    /// Keeps the rows that are in both.
    pub fn intersect(&mut self, other: &Self) {
        for (mine, theirs) in self.bits.iter_mut().zip(&other.bits) {
            *mine &= theirs;
        }
    }

    /// Adds the rows of the other.
    pub fn unite(&mut self, other: &Self) {
        for (mine, theirs) in self.bits.iter_mut().zip(&other.bits) {
            *mine |= theirs;
        }
    }

    /// How many rows there are.
    pub fn count(&self) -> u32 {
        self.bits.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|word| *word == 0)
    }

    /// The rows, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0u32..).zip(&self.bits).flat_map(|(index, &word)| {
            std::iter::successors((word != 0).then_some(word), |left| {
                let left = left & (left - 1);
                (left != 0).then_some(left)
            })
            .map(move |left| index * 64 + left.trailing_zeros())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_put_in() {
        let mut set = RowSet::none(130);
        for row in [0, 63, 64, 129, 130, 4000] {
            set.insert(row);
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, 129]);
        assert_eq!(set.count(), 4);
        let mut all = RowSet::all(130);
        assert_eq!(all.count(), 130);
        all.intersect(&set);
        assert_eq!(all, set);
        assert!(RowSet::none(0).is_empty());
        assert_eq!(RowSet::all(64).count(), 64);
    }
}
