//! Every distinct changed line with the rows that hold it, for expressions of which no run
//! can be required.
//!
//! Most lines of history come more than once: they move, are taken back, are removed after
//! they were added. The distinct ones are a third of the text of all patches. They lie in the
//! order in which they first came, so that what stands together compresses well, in blocks;
//! each block has the rows of its lines beside it, which are only looked at where a line
//! matches.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::pattern::Pattern;
use super::rows::RowSet;
use super::runs::Runs;
use super::segment::Segment;
use super::varint;
use crate::StoreError;
use crate::pack::{Packer, Unpacker};

/// A block is closed when its text has reached this size.
const BLOCK: usize = 256 << 10;
/// The bytes of a block's entry in the table.
const ENTRY: usize = 16;

/// Where the lines lie in a segment's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// Where the blocks begin.
    pub data: u64,
    /// How long they are together.
    pub data_len: u64,
    /// Where the table of blocks begins.
    pub table: u64,
    /// How many blocks there are.
    pub blocks: u64,
}

impl Place {
    /// The bytes that the table takes.
    pub fn table_len(&self) -> Option<u64> {
        self.blocks.checked_mul(ENTRY as u64)
    }
}

/// A block: how long its text and its rows are, packed and not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Block {
    start: u64,
    text: u32,
    rows: u32,
    text_len: u32,
    rows_len: u32,
}

/// Appends the lines to a file's bytes.
pub fn write(lines: &Runs, first_row: u32, out: &mut Vec<u8>) -> io::Result<Place> {
    let too_large = |_| io::Error::other("a segment of the exact index grew too large");
    let rows_of = lines.rows();
    let mut packer = Packer::new().map_err(io::Error::other)?;
    let mut place = Place { data: out.len() as u64, ..Place::default() };
    let mut table = Vec::new();
    let (mut text, mut rows, mut last) = (Vec::new(), Vec::new(), 0);
    for number in 0..lines.len() {
        // Each line stands behind a line feed: the first one too.
        text.push(b'\n');
        text.extend_from_slice(lines.text(number));
        let list = rows_of.of(number);
        varint::put(&mut rows, u32::try_from(list.len()).map_err(too_large)?);
        for (at, row) in list.iter().map(|row| row - first_row).enumerate() {
            // The first row of a line is that of the line before, or a little later; but for
            // lines that were merged, it may also be an earlier one.
            varint::put(&mut rows, if at == 0 { zigzag(row, last) } else { row - last });
            last = row;
        }
        last = list.first().map_or(last, |row| row - first_row);
        if text.len() >= BLOCK || number + 1 == lines.len() {
            let (packed_text, packed_rows) =
                (packer.pack(&text).map_err(other)?, packer.pack(&rows).map_err(other)?);
            for len in [packed_text.len(), packed_rows.len(), text.len(), rows.len()] {
                table.extend_from_slice(&u32::try_from(len).map_err(too_large)?.to_le_bytes());
            }
            out.extend_from_slice(&packed_text);
            out.extend_from_slice(&packed_rows);
            text.clear();
            rows.clear();
            last = 0;
            place.blocks += 1;
        }
    }
    place.data_len = out.len() as u64 - place.data;
    place.table = out.len() as u64;
    out.append(&mut table);
    Ok(place)
}

/// The lines of a segment, for merging.
pub fn load(segment: &Segment) -> io::Result<Runs> {
    let mut lines = Runs::default();
    let mut reader = Reader::new(segment)?;
    for block in blocks(segment)? {
        reader.read_text(block)?;
        let text = std::mem::take(&mut reader.text);
        let mut rows = Vec::new();
        reader.rows_of(block, |number, row| rows.push((number, row)))?;
        let mut rows = rows.into_iter().peekable();
        for (number, line) in text.split(|&byte| byte == b'\n').skip(1).enumerate() {
            while let Some((_, row)) = rows.next_if(|(of, _)| *of as usize == number) {
                lines.add(line, 0, line.len(), segment.first_row.saturating_add(row));
            }
        }
        reader.text = text;
    }
    Ok(lines)
}

/// The rows of a segment with a line that the pattern matches: all of them, and no other.
pub fn rows_matching(segment: &Segment, pattern: &Pattern, threads: usize) -> io::Result<RowSet> {
    let blocks = blocks(segment)?;
    let next = AtomicUsize::new(0);
    let work = |pattern: &Pattern| -> io::Result<RowSet> {
        let mut rows = RowSet::none(segment.rows());
        let mut reader = Reader::new(segment)?;
        let mut found = Vec::new();
        while let Some(block) = blocks.get(next.fetch_add(1, Ordering::Relaxed)) {
            reader.read_text(*block)?;
            found.clear();
            pattern.lines_of(&reader.text, |number| found.push(number));
            if found.is_empty() {
                continue;
            }
            let mut wanted = found.iter().peekable();
            reader.rows_of(*block, |number, row| {
                while wanted.next_if(|wanted| **wanted < number).is_some() {}
                if wanted.peek() == Some(&&number) {
                    rows.insert(row);
                }
            })?;
        }
        Ok(rows)
    };
    if threads <= 1 || blocks.len() < 2 {
        return work(pattern);
    }
    std::thread::scope(|scope| {
        let work = &work;
        let workers: Vec<_> = (1..threads)
            .map(|_| {
                // A clone has caches of its own, so that threads do not wait for each other.
                let pattern = pattern.clone();
                scope.spawn(move || work(&pattern))
            })
            .collect();
        let mut all = work(pattern)?;
        for worker in workers {
            all.unite(&worker.join().map_err(|_| io::Error::other("a search thread failed"))??);
        }
        Ok(all)
    })
}

fn blocks(segment: &Segment) -> io::Result<Vec<Block>> {
    let place = segment.lines();
    let len = place.table_len().unwrap_or(0);
    let bytes = segment.read(place.table..place.table + len)?;
    let mut start = 0u64;
    let mut blocks = Vec::with_capacity(bytes.len() / ENTRY);
    for entry in bytes.chunks_exact(ENTRY) {
        let number = |at: usize| entry[at..at + 4].try_into().map_or(0, u32::from_le_bytes);
        let block = Block {
            start,
            text: number(0),
            rows: number(4),
            text_len: number(8),
            rows_len: number(12),
        };
        start += u64::from(block.text) + u64::from(block.rows);
        blocks.push(block);
    }
    if start != place.data_len {
        return Err(segment.damaged("its table of lines"));
    }
    Ok(blocks)
}

struct Reader<'a> {
    segment: &'a Segment,
    unpacker: Unpacker,
    packed: Vec<u8>,
    text: Vec<u8>,
    rows: Vec<u8>,
}

impl<'a> Reader<'a> {
    fn new(segment: &'a Segment) -> io::Result<Self> {
        Ok(Self {
            segment,
            unpacker: Unpacker::new().map_err(other)?,
            packed: Vec::new(),
            text: Vec::new(),
            rows: Vec::new(),
        })
    }

    /// Reads the lines of a block, each behind a line feed.
    fn read_text(&mut self, block: Block) -> io::Result<()> {
        let start = self.segment.lines().data + block.start;
        self.segment.read_into(start..start + u64::from(block.text), &mut self.packed)?;
        self.unpack(block.text_len, true)
    }

    /// Calls `each` with the numbers of a block's lines and their rows, in order.
    fn rows_of(&mut self, block: Block, mut each: impl FnMut(u32, u32)) -> io::Result<()> {
        let start = self.segment.lines().data + block.start + u64::from(block.text);
        self.segment.read_into(start..start + u64::from(block.rows), &mut self.packed)?;
        self.unpack(block.rows_len, false)?;
        let mut bytes = &self.rows[..];
        let (mut number, mut before) = (0u32, 0u32);
        while let Some(count) = varint::take(&mut bytes) {
            let Some(first) = varint::take(&mut bytes).filter(|_| count > 0) else { break };
            let mut row = unzigzag(first, before);
            before = row;
            each(number, row);
            for _ in 1..count {
                let Some(step) = varint::take(&mut bytes) else { break };
                row = row.saturating_add(step);
                each(number, row);
            }
            number += 1;
        }
        Ok(())
    }

    fn unpack(&mut self, len: u32, text: bool) -> io::Result<()> {
        let into = if text { &mut self.text } else { &mut self.rows };
        // Nothing is reserved that the packed bytes could not hold.
        let most = self.packed.len().saturating_mul(1 << 16);
        let unpacked = self.unpacker.unpack_into((len as usize).min(most), &self.packed, into);
        match unpacked {
            Ok(()) if into.len() == len as usize => Ok(()),
            _ => Err(self.segment.damaged("a block of lines")),
        }
    }
}

/// A difference as a number that is small where it is.
fn zigzag(row: u32, before: u32) -> u32 {
    let step = i64::from(row) - i64::from(before);
    // Rows of a segment lie within half of what a number holds, or it is wrapped around.
    ((step << 1) ^ (step >> 63)) as u32
}

fn unzigzag(step: u32, before: u32) -> u32 {
    let step = i64::from(step >> 1) ^ -i64::from(step & 1);
    u32::try_from(i64::from(before) + step).unwrap_or(u32::MAX)
}

fn other(error: StoreError) -> io::Error {
    io::Error::other(error)
}
