//! A dictionary of runs with the rows of each: how it is written and read.
//!
//! The runs lie sorted in one text, each ended by a line feed, so that a regular
//! expression is run over all of them at once. The text is cut into blocks; for each
//! block a table names its place in the text and among the rows. The rows of a run are
//! a length and then differences, the first one from the segment's first row.

use std::ops::Range;

use super::varint;

/// A block is closed when its text has reached this size.
const BLOCK: usize = 2048;

/// Where a dictionary's parts lie in a segment's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// Where the text begins.
    pub text: u64,
    /// How long it is.
    pub text_len: u64,
    /// Where the table of blocks begins: two numbers a block, and two for the end.
    pub blocks: u64,
    /// How many blocks there are.
    pub block_count: u64,
    /// Where the rows begin.
    pub rows: u64,
    /// How long they are.
    pub rows_len: u64,
    /// How many runs there are.
    pub runs: u64,
}

/// Writes a dictionary, run by run in ascending order.
#[derive(Debug, Default)]
pub struct Writer {
    text: Vec<u8>,
    rows: Vec<u8>,
    blocks: Vec<[u32; 2]>,
    block_start: usize,
    runs: u64,
}

/// A dictionary would exceed what its offsets can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

impl Writer {
    /// The runs and rows of a dictionary that was written before, to be merged.
    pub fn of(text: Vec<u8>, rows: Vec<u8>) -> Self {
        Self { text, rows, ..Self::default() }
    }

    /// How many bytes its runs and rows take.
    pub fn size(&self) -> usize {
        self.text.len() + self.rows.len()
    }

    /// Its runs in order, each with its encoded rows.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mut rows = &self.rows[..];
        self.text.split_inclusive(|&byte| byte == b'\n').map_while(move |run| {
            let len = varint::take(&mut rows)? as usize;
            let (list, rest) = rows.split_at_checked(len)?;
            rows = rest;
            Some((run.strip_suffix(b"\n").unwrap_or(run), list))
        })
    }

    /// Appends a run with its encoded rows.
    pub fn push(&mut self, run: &[u8], rows: &[u8]) -> Result<(), TooLarge> {
        if self.blocks.is_empty() || self.text.len() - self.block_start >= BLOCK {
            self.blocks.push(self.ends()?);
            self.block_start = self.text.len();
        }
        self.text.extend_from_slice(run);
        self.text.push(b'\n');
        varint::put(&mut self.rows, rows.len().try_into().map_err(|_| TooLarge)?);
        self.rows.extend_from_slice(rows);
        self.runs += 1;
        Ok(())
    }

    fn ends(&self) -> Result<[u32; 2], TooLarge> {
        let end = |len: usize| u32::try_from(len).map_err(|_| TooLarge);
        Ok([end(self.text.len())?, end(self.rows.len())?])
    }

    /// Appends the finished dictionary to a file's bytes.
    pub fn finish(mut self, out: &mut Vec<u8>) -> Result<Place, TooLarge> {
        self.blocks.push(self.ends()?);
        let mut place = Place {
            text: out.len() as u64,
            text_len: self.text.len() as u64,
            block_count: self.blocks.len() as u64 - 1,
            rows_len: self.rows.len() as u64,
            runs: self.runs,
            ..Place::default()
        };
        out.append(&mut self.text);
        place.rows = out.len() as u64;
        out.append(&mut self.rows);
        place.blocks = out.len() as u64;
        for number in self.blocks.iter().flatten() {
            out.extend_from_slice(&number.to_le_bytes());
        }
        Ok(place)
    }
}

/// The rows of one run in the making.
#[derive(Debug, Default)]
pub struct RowList {
    bytes: Vec<u8>,
    last: u32,
}

impl RowList {
    /// Begins anew.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.last = 0;
    }

    /// Appends a row, counted from the segment's first; rows come ascending.
    pub fn push(&mut self, row: u32) {
        varint::put(&mut self.bytes, row.saturating_sub(self.last));
        self.last = row;
    }

    /// The encoded rows.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Decodes rows, each counted from the segment's first.
#[inline]
pub fn decode(mut bytes: &[u8], mut each: impl FnMut(u32)) {
    let mut row = 0u32;
    while let Some(step) = varint::take(&mut bytes) {
        row = row.saturating_add(step);
        each(row);
    }
}

/// The places of blocks, as the table has them.
#[derive(Debug, Clone, Default)]
pub struct Blocks(Vec<[u32; 2]>);

impl Blocks {
    /// Reads the table; `None` where it is damaged.
    pub fn read(bytes: &[u8], place: &Place) -> Option<Self> {
        let blocks: Vec<[u32; 2]> = bytes
            .chunks_exact(8)
            .map(|pair| {
                let (a, b) = pair.split_at(4);
                let number = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_le_bytes);
                [number(a), number(b)]
            })
            .collect();
        let ordered =
            blocks.windows(2).all(|pair| pair[0][0] < pair[1][0] && pair[0][1] < pair[1][1]);
        let ends = blocks.last() == Some(&[place.text_len as u32, place.rows_len as u32]);
        (ordered && ends && blocks.first() == Some(&[0, 0])).then_some(Self(blocks))
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.0.len() - 1
    }

    /// Where the text of some blocks lies, counted from the dictionary's text.
    pub fn text(&self, blocks: Range<usize>) -> Range<u64> {
        self.0[blocks.start][0].into()..self.0[blocks.end][0].into()
    }

    /// Where the rows of some blocks lie, counted from the dictionary's rows.
    pub fn rows(&self, blocks: Range<usize>) -> Range<u64> {
        self.0[blocks.start][1].into()..self.0[blocks.end][1].into()
    }
}
