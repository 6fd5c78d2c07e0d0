//! Building a segment in memory.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use super::class::{Class, each_run};
use super::dictionary::{RowList, TooLarge, Writer};
use super::lines::each_changed;
use super::segment::{Group, Parts};

/// Collects the runs of rows.
#[derive(Debug)]
pub struct Builder {
    words: Runs,
    marks: Runs,
    groups: Vec<Group>,
    rows: Option<(u32, u32)>,
}

impl Default for Builder {
    fn default() -> Self {
        Self { words: Runs::new(), marks: Runs::new(), groups: Vec::new(), rows: None }
    }
}

impl Builder {
    /// Adds the hunks of a row. Rows come ascending, those of a group together.
    pub fn add(&mut self, row: u32, group: u32, hunks: &[u8]) {
        let first = self.rows.map_or(row, |(first, _)| first);
        self.rows = Some((first, row));
        if self.groups.last().is_none_or(|last| last.id != group) {
            self.groups.push(Group { id: group, first_row: row });
        }
        let Self { words, marks, .. } = self;
        each_changed(hunks, |_, _, line| {
            each_run(line, |class, start, end| match class {
                Class::Word => words.add(line, start, end, row),
                _ => marks.add(line, start, end, row),
            });
        });
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.rows.is_none()
    }

    /// About how many bytes of memory it has taken.
    pub fn memory(&self) -> usize {
        self.words.memory() + self.marks.memory()
    }

    /// The segment, encoded; `None` where nothing was added.
    pub fn finish(self) -> Result<Option<Parts>, TooLarge> {
        let Some((first_row, last_row)) = self.rows else { return Ok(None) };
        Ok(Some(Parts {
            first_row,
            last_row,
            groups: self.groups,
            words: self.words.finish(first_row)?,
            marks: self.marks.finish(first_row)?,
        }))
    }
}

/// The distinct runs of one class, in a hash table of our own: the table of the
/// standard library would look every run up twice and keep an allocation for each.
#[derive(Debug)]
struct Runs {
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

impl Runs {
    fn new() -> Self {
        Self {
            hasher: RandomState::default(),
            slots: vec![EMPTY; 1 << 12],
            places: Vec::new(),
            text: Vec::new(),
            pairs: Vec::new(),
        }
    }

    #[inline]
    fn add(&mut self, line: &[u8], start: usize, end: usize, row: u32) {
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
                    if slot.row != row {
                        slot.row = row;
                        self.pairs.push((slot.number, row));
                    }
                    return;
                }
            }
            at = (at + 1) & mask;
        }
        self.insert(at, run, head, row);
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
        let mask = old.len() * 4 - 1;
        self.slots = vec![EMPTY; old.len() * 4];
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

    fn memory(&self) -> usize {
        self.slots.len() * size_of::<Slot>()
            + self.text.len()
            + 8 * (self.places.len() + self.pairs.len())
    }

    fn finish(self, first_row: u32) -> Result<Writer, TooLarge> {
        let Self { places, text, pairs, .. } = self;
        let run = |number: u32| {
            let (from, to) = places[number as usize];
            &text[from as usize..to as usize]
        };
        // The first bytes, as a number that sorts as they do, spare most comparisons of text.
        let mut order: Vec<(u64, u32)> = (0..places.len() as u32)
            .map(|number| {
                let mut first = [0; HEAD];
                let run = run(number);
                let len = run.len().min(HEAD);
                first[..len].copy_from_slice(&run[..len]);
                (u64::from_be_bytes(first), number)
            })
            .collect();
        order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| run(a.1).cmp(run(b.1))));
        // Pairs by run, their rows still ascending: a counting sort.
        let mut ends = vec![0u32; places.len() + 1];
        for (number, _) in &pairs {
            ends[*number as usize + 1] += 1;
        }
        for index in 1..ends.len() {
            ends[index] += ends[index - 1];
        }
        let mut rows = vec![0; pairs.len()];
        let mut next = ends.clone();
        for (number, row) in &pairs {
            let at = &mut next[*number as usize];
            rows[*at as usize] = row - first_row;
            *at += 1;
        }
        let mut writer = Writer::default();
        let mut list = RowList::default();
        for (_, number) in order {
            let range = ends[number as usize] as usize..ends[number as usize + 1] as usize;
            list.clear();
            rows[range].iter().for_each(|row| list.push(*row));
            writer.push(run(number), list.bytes())?;
        }
        Ok(writer)
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
