//! Distinct texts with the rows that hold them, in the making.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use super::dictionary::{RowList, TooLarge, Writer};

/// The distinct runs of one class, or whole lines, in a hash table of our own: the table of
/// the standard library would look every one up twice and keep an allocation for each.
#[derive(Debug)]
pub struct Runs {
    hasher: RandomState,
    slots: Vec<Slot>,
    /// Where in `text` each run begins and ends, by its number.
    places: Vec<(u32, u32)>,
    text: Vec<u8>,
    /// Numbers of runs, with the rows that they are in.
    pairs: Vec<(u32, u32)>,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    /// The run's first bytes: all of it, where it is short.
    head: u64,
    len: u32,
    /// The run's number, or [`FREE`].
    number: u32,
    /// The row that it was last seen in.
    row: u32,
}

const FREE: u32 = u32::MAX;
const EMPTY: Slot = Slot { head: 0, len: 0, number: FREE, row: 0 };
const HEAD: usize = size_of::<u64>();
/// A table of so many slots grows more slowly.
const LARGE: usize = 1 << 20;

impl Default for Runs {
    fn default() -> Self {
        Self {
            hasher: RandomState::default(),
            slots: vec![EMPTY; 1 << 12],
            places: Vec::new(),
            text: Vec::new(),
            pairs: Vec::new(),
        }
    }
}

impl Runs {
    /// Adds a part of a line. Tells whether the row was not yet the last one seen with it.
    #[inline]
    pub fn add(&mut self, line: &[u8], start: usize, end: usize, row: u32) -> bool {
        let run = &line[start..end];
        let head = head_of(line, start, run.len());
        let hash = if run.len() <= HEAD {
            self.hasher.hash_one(head ^ ((run.len() as u64) << 60))
        } else {
            self.hasher.hash_one(run)
        };
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = &mut self.slots[at];
            if slot.number == FREE {
                break;
            }
            if slot.head == head && slot.len as usize == run.len() {
                let (from, to) = self.places[slot.number as usize];
                if run.len() <= HEAD || &self.text[from as usize..to as usize] == run {
                    let new = slot.row != row;
                    if new {
                        slot.row = row;
                        self.pairs.push((slot.number, row));
                    }
                    return new;
                }
            }
            at = (at + 1) & mask;
        }
        self.insert(at, run, head, row);
        true
    }

    #[cold]
    fn insert(&mut self, at: usize, run: &[u8], head: u64, row: u32) {
        let number = self.places.len() as u32;
        let from = self.text.len() as u32;
        self.text.extend_from_slice(run);
        self.places.push((from, self.text.len() as u32));
        self.slots[at] = Slot { head, len: run.len() as u32, number, row };
        self.pairs.push((number, row));
        if self.places.len() * 2 > self.slots.len() {
            self.grow();
        }
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        let len = old.len() * if old.len() < LARGE { 4 } else { 2 };
        let mask = len - 1;
        self.slots = vec![EMPTY; len];
        for slot in old.into_iter().filter(|slot| slot.number != FREE) {
            let hash = if slot.len as usize <= HEAD {
                self.hasher.hash_one(slot.head ^ (u64::from(slot.len) << 60))
            } else {
                let (from, to) = self.places[slot.number as usize];
                self.hasher.hash_one(&self.text[from as usize..to as usize])
            };
            let mut at = hash as usize & mask;
            while self.slots[at].number != FREE {
                at = (at + 1) & mask;
            }
            self.slots[at] = slot;
        }
    }

    /// About how many bytes of memory it has taken.
    pub fn memory(&self) -> usize {
        self.slots.len() * size_of::<Slot>()
            + self.text.len()
            + 8 * (self.places.len() + self.pairs.len())
    }

    /// How many bytes its texts take.
    pub fn text_len(&self) -> usize {
        self.text.len()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The text with this number.
    pub fn text(&self, number: usize) -> &[u8] {
        self.places.get(number).map_or(&[], |&(from, to)| &self.text[from as usize..to as usize])
    }

    /// Adds what another one holds, whose rows all come after those of this one.
    pub fn append(&mut self, other: &Self) -> Result<(), TooLarge> {
        if self.text.len() + other.text.len() > u32::MAX as usize {
            return Err(TooLarge);
        }
        let rows = other.rows();
        for number in 0..other.len() {
            let text = other.text(number);
            for row in rows.of(number) {
                self.add(text, 0, text.len(), *row);
            }
        }
        Ok(())
    }

    /// The rows of each text, ascending.
    pub fn rows(&self) -> Rows {
        // A counting sort of the pairs by text keeps their rows in order.
        let mut ends = vec![0u32; self.places.len() + 1];
        for (number, _) in &self.pairs {
            ends[*number as usize + 1] += 1;
        }
        for index in 1..ends.len() {
            ends[index] += ends[index - 1];
        }
        let mut rows = vec![0; self.pairs.len()];
        let mut next = ends.clone();
        for (number, row) in &self.pairs {
            let at = &mut next[*number as usize];
            rows[*at as usize] = *row;
            *at += 1;
        }
        Rows { ends, rows }
    }

    /// A dictionary of its texts.
    pub fn finish(self, first_row: u32) -> Result<Writer, TooLarge> {
        // The first bytes, as a number that sorts as they do, spare most comparisons of text.
        let mut order: Vec<(u64, usize)> = (0..self.len())
            .map(|number| {
                let mut first = [0; HEAD];
                let run = self.text(number);
                let len = run.len().min(HEAD);
                first[..len].copy_from_slice(&run[..len]);
                (u64::from_be_bytes(first), number)
            })
            .collect();
        order.sort_unstable_by(|a, b| {
            a.0.cmp(&b.0).then_with(|| self.text(a.1).cmp(self.text(b.1)))
        });
        let rows = self.rows();
        let mut writer = Writer::default();
        let mut list = RowList::default();
        for (_, number) in order {
            list.clear();
            rows.of(number).iter().for_each(|row| list.push(*row - first_row));
            writer.push(self.text(number), list.bytes())?;
        }
        Ok(writer)
    }
}

/// The rows of texts, by their numbers.
#[derive(Debug)]
pub struct Rows {
    ends: Vec<u32>,
    rows: Vec<u32>,
}

impl Rows {
    /// The rows of one text, ascending.
    pub fn of(&self, number: usize) -> &[u32] {
        &self.rows[self.ends[number] as usize..self.ends[number + 1] as usize]
    }
}

/// A run's first eight bytes as a number, zeros beyond its end.
#[inline]
fn head_of(line: &[u8], start: usize, len: usize) -> u64 {
    if let Some(bytes) = line.get(start..start + HEAD).and_then(|b| <[u8; HEAD]>::try_from(b).ok())
    {
        let head = u64::from_le_bytes(bytes);
        return if len >= HEAD { head } else { head & ((1 << (8 * len)) - 1) };
    }
    let mut bytes = [0; HEAD];
    let len = len.min(HEAD);
    bytes[..len].copy_from_slice(&line[start..start + len]);
    u64::from_le_bytes(bytes)
}
