//! Looking runs up: the rows whose runs an expression matches.

use std::io;
use std::ops::Range;

use regex_automata::{Input, meta};

use super::class::Class;
use super::dictionary::{Blocks, decode};
use super::rows::RowSet;
use super::segment::Segment;
use super::varint;

/// Text is read and searched in pieces of about this size.
const PIECE: u64 = 256 << 10;
/// A dictionary larger than this is searched by several threads.
const ALONE: u64 = 2 << 20;
/// Blocks with matches that lie no further apart are read together.
const NEAR: u64 = 16 << 10;
/// The rows of blocks are read in pieces of about this size.
const ROWS_AT_ONCE: u64 = 1 << 20;

/// The rows of a segment with a run of this class that the expression matches. The
/// expression matches no empty text and never a line feed. `None` where more than `most`
/// runs of a block range match: so common a condition narrows nothing down.
pub fn rows_with(
    segment: &Segment,
    class: Class,
    regex: &meta::Regex,
    threads: usize,
    most: usize,
) -> io::Result<Option<RowSet>> {
    let blocks = segment.blocks(class)?;
    let threads = if segment.place(class).text_len < ALONE { 1 } else { threads.max(1) };
    let share = blocks.len().div_ceil(threads).max(1);
    let ranges =
        (0..threads).map(|n| (n * share).min(blocks.len())..((n + 1) * share).min(blocks.len()));
    let search = |range: Range<usize>, regex: &meta::Regex| {
        Part { segment, class, blocks: &blocks, regex, most }.rows(range)
    };
    if threads == 1 {
        return search(0..blocks.len(), regex);
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = ranges
            .map(|range| {
                // A clone has caches of its own, so that threads do not wait for each other.
                let regex = regex.clone();
                scope.spawn(move || search(range, &regex))
            })
            .collect();
        let mut all = RowSet::none(segment.rows());
        for worker in workers {
            let rows = worker.join().map_err(|_| io::Error::other("a search thread failed"))??;
            let Some(rows) = rows else { return Ok(None) };
            all.unite(&rows);
        }
        Ok(Some(all))
    })
}

struct Part<'a> {
    segment: &'a Segment,
    class: Class,
    blocks: &'a Blocks,
    regex: &'a meta::Regex,
    most: usize,
}

impl Part<'_> {
    fn rows(&self, range: Range<usize>) -> io::Result<Option<RowSet>> {
        let mut rows = RowSet::none(self.segment.rows());
        let mut text = Vec::new();
        let mut found = Vec::new();
        let base = self.segment.place(self.class).text;
        let mut start = range.start;
        while start < range.end {
            let end = self.piece(start, range.end, PIECE, |blocks| self.blocks.text(blocks));
            let bytes = self.blocks.text(start..end);
            self.segment.read_lines_into(base + bytes.start..base + bytes.end, &mut text)?;
            self.find(start, &text, &mut found);
            if found.len() > self.most {
                return Ok(None);
            }
            start = end;
        }
        self.collect(&found, &mut rows)?;
        Ok(Some(rows))
    }

    /// The end of a piece of blocks that begins at `start` and has at most `size` bytes.
    fn piece(
        &self,
        start: usize,
        end: usize,
        size: u64,
        place: impl Fn(Range<usize>) -> Range<u64>,
    ) -> usize {
        let mut at = start + 1;
        while at < end && place(start..at + 1).end - place(start..at).start <= size {
            at += 1;
        }
        at
    }

    /// Finds the runs in a piece's text, which stands behind a line feed: the number of the block and of the run in it.
    fn find(&self, first_block: usize, text: &[u8], found: &mut Vec<(u32, u32)>) {
        let origin = self.blocks.text(first_block..first_block + 1).start;
        let block_end =
            |block: usize| (self.blocks.text(block..block + 1).end - origin) as usize + 1;
        let (mut block, mut number, mut counted, mut at) = (first_block, 0, 1, 1);
        while at < text.len() {
            let input = Input::new(text).range(at..).earliest(true);
            let Some(hit) = self.regex.search_half(&input) else { return };
            // The match ends inside its run: it is not empty and holds no line feed.
            let inside = hit.offset().saturating_sub(1).max(at);
            let line =
                memchr::memrchr(b'\n', &text[counted..inside]).map_or(counted, |n| counted + n + 1);
            while block_end(block) <= line {
                counted = block_end(block);
                block += 1;
                number = 0;
            }
            number += memchr::memchr_iter(b'\n', &text[counted..line]).count() as u32;
            counted = line;
            found.push((block as u32, number));
            let Some(end) = memchr::memchr(b'\n', &text[inside..]) else { return };
            at = inside + end + 1;
        }
    }

    /// Reads the rows of the runs that were found, which come in order.
    fn collect(&self, found: &[(u32, u32)], rows: &mut RowSet) -> io::Result<()> {
        let base = self.segment.place(self.class).rows;
        let mut bytes = Vec::new();
        let mut rest = found;
        while let Some(&(first, _)) = rest.first() {
            let first = first as usize;
            let (mut last, mut taken) = (first, 0);
            let from = self.blocks.rows(first..first + 1).start;
            for &(block, _) in rest {
                let (near, far) = (
                    self.blocks.rows(last..last + 1).end,
                    self.blocks.rows(block as usize..block as usize + 1),
                );
                if far.start.saturating_sub(near) > NEAR
                    || (far.end - from > ROWS_AT_ONCE && taken > 0 && block as usize != last)
                {
                    break;
                }
                last = block as usize;
                taken += 1;
            }
            let to = self.blocks.rows(last..last + 1).end;
            self.segment.read_into(base + from..base + to, &mut bytes)?;
            let (now, later) = rest.split_at(taken);
            rest = later;
            for of_block in now.chunk_by(|a, b| a.0 == b.0) {
                let place = self.blocks.rows(of_block[0].0 as usize..of_block[0].0 as usize + 1);
                let lists = bytes.get((place.start - from) as usize..(place.end - from) as usize);
                unite(lists.unwrap_or_default(), of_block, rows);
            }
        }
        Ok(())
    }
}

/// Adds the rows of some of a block's runs.
fn unite(mut lists: &[u8], runs: &[(u32, u32)], rows: &mut RowSet) {
    let mut at = 0;
    for &(_, number) in runs {
        while let Some(len) = varint::take(&mut lists) {
            let Some((list, rest)) = lists.split_at_checked(len as usize) else { return };
            lists = rest;
            at += 1;
            if at > number {
                decode(list, |row| rows.insert(row));
                break;
            }
        }
    }
}
