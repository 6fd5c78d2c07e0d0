//! A segment: the index over one stretch of rows, as a file that is never changed.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::class::Class;
use super::dictionary::{Blocks, Place, TooLarge, Writer};
use super::runs::Runs;
use super::whole;

const MAGIC: &[u8; 8] = b"hwexact2";
/// Magic, sha256 of all that follows the header, and numbers.
const HEADER: usize = 8 + 32 + 8 * NUMBERS;
const NUMBERS: usize = 2 + 2 + 7 * 2 + 4;

/// The rows of one commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// The commit's number in the records.
    pub id: u32,
    /// The first of its rows; they end where the next group's begin.
    pub first_row: u32,
}

/// What a segment is made of, before it is a file.
#[derive(Debug)]
pub struct Parts {
    /// The first row.
    pub first_row: u32,
    /// The last row.
    pub last_row: u32,
    /// The commits, by row.
    pub groups: Vec<Group>,
    /// The words and their rows.
    pub words: Writer,
    /// The marks and their rows.
    pub marks: Writer,
    /// The lines and their rows.
    pub lines: Runs,
}

/// Lines are packed to about so small a part.
const PACKED: usize = 5;

impl Parts {
    /// About how large its file will be.
    pub fn size(&self) -> u64 {
        let dictionaries = self.words.size() + self.marks.size() + 8 * self.groups.len();
        (dictionaries + self.lines.text_len() / PACKED) as u64
    }

    /// Writes the segment beside `path` and moves it there when it is whole.
    pub fn write(self, path: &Path) -> io::Result<()> {
        let too_large = |TooLarge| io::Error::other("a segment of the exact index grew too large");
        let mut body = Vec::new();
        let words = self.words.finish(&mut body).map_err(too_large)?;
        let marks = self.marks.finish(&mut body).map_err(too_large)?;
        let lines = whole::write(&self.lines, self.first_row, &mut body)?;
        let groups = body.len() as u64;
        for group in &self.groups {
            body.extend_from_slice(&group.id.to_le_bytes());
            body.extend_from_slice(&group.first_row.to_le_bytes());
        }
        let mut header = Vec::with_capacity(HEADER);
        header.extend_from_slice(MAGIC);
        header.extend_from_slice(&Sha256::digest(&body));
        let mut numbers =
            vec![self.first_row.into(), self.last_row.into(), groups, self.groups.len() as u64];
        for p in [words, marks] {
            numbers.extend([
                p.text,
                p.text_len,
                p.blocks,
                p.block_count,
                p.rows,
                p.rows_len,
                p.runs,
            ]);
        }
        numbers.extend([lines.data, lines.data_len, lines.table, lines.blocks]);
        numbers.iter().for_each(|number| header.extend_from_slice(&number.to_le_bytes()));
        let mut beside = path.as_os_str().to_owned();
        beside.push(".new");
        let mut file = File::create(&beside)?;
        file.write_all(&header)?;
        file.write_all(&body)?;
        file.sync_all()?;
        std::fs::rename(&beside, path)
    }
}

/// An open segment.
#[derive(Debug)]
pub struct Segment {
    path: PathBuf,
    file: File,
    digest: [u8; 32],
    /// The first row.
    pub first_row: u32,
    /// The last row.
    pub last_row: u32,
    groups: (u64, usize),
    words: Place,
    marks: Place,
    lines: whole::Place,
    len: u64,
}

impl Segment {
    /// Opens a segment: its header is checked, its body is not.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        let mut header = [0; HEADER];
        let damaged = || damaged(path, "its header");
        if len < HEADER as u64 {
            return Err(damaged());
        }
        read_at(&file, &mut header, 0)?;
        let (magic, rest) = header.split_at(MAGIC.len());
        let (digest, numbers) = rest.split_at(32);
        if magic != MAGIC {
            return Err(damaged());
        }
        let numbers: Vec<u64> = numbers
            .chunks_exact(8)
            .map(|bytes| bytes.try_into().map_or(0, u64::from_le_bytes))
            .collect();
        let place = |n: &[u64]| Place {
            text: n[0],
            text_len: n[1],
            blocks: n[2],
            block_count: n[3],
            rows: n[4],
            rows_len: n[5],
            runs: n[6],
        };
        let row = |number: u64| u32::try_from(number).map_err(|_| damaged());
        let body = len - HEADER as u64;
        let inside = |start: u64, count: u64, size: u64| {
            count
                .checked_mul(size)
                .and_then(|n| n.checked_add(start))
                .is_some_and(|end| end <= body)
        };
        let (words, marks) = (place(&numbers[4..11]), place(&numbers[11..18]));
        let whole = [words, marks].iter().all(|p| {
            p.text_len.max(p.rows_len) <= u64::from(u32::MAX)
                && inside(p.text, p.text_len, 1)
                && inside(p.rows, p.rows_len, 1)
                && p.block_count < u64::from(u32::MAX)
                && inside(p.blocks, p.block_count + 1, 8)
        });
        let lines = whole::Place {
            data: numbers[18],
            data_len: numbers[19],
            table: numbers[20],
            blocks: numbers[21],
        };
        let whole = whole
            && inside(lines.data, lines.data_len, 1)
            && lines.table_len().is_some_and(|len| inside(lines.table, len, 1));
        if !whole || !inside(numbers[2], numbers[3], 8) || numbers[0] > numbers[1] {
            return Err(damaged());
        }
        Ok(Self {
            path: path.to_owned(),
            digest: digest.try_into().unwrap_or_default(),
            first_row: row(numbers[0])?,
            last_row: row(numbers[1])?,
            groups: (numbers[2], numbers[3] as usize),
            words,
            marks,
            lines,
            len,
            file,
        })
    }

    /// How many rows it spans.
    pub fn rows(&self) -> u32 {
        (self.last_row - self.first_row).saturating_add(1)
    }

    /// The size of its file.
    pub fn bytes(&self) -> u64 {
        self.len
    }

    /// How many distinct runs of a class it holds.
    pub fn runs(&self, class: Class) -> u64 {
        self.place(class).runs
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads all of it and compares it with the digest that its header holds.
    pub fn check(&self) -> io::Result<()> {
        let body = self.read(0..self.len - HEADER as u64)?;
        if Sha256::digest(&body)[..] == self.digest[..] {
            Ok(())
        } else {
            Err(damaged(&self.path, "its digest"))
        }
    }

    /// The commits of its rows.
    pub fn groups(&self) -> io::Result<Vec<Group>> {
        let (start, count) = self.groups;
        let bytes = self.read(start..start + 8 * count as u64)?;
        Ok(bytes
            .chunks_exact(8)
            .map(|pair| {
                let number = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_le_bytes);
                Group { id: number(&pair[..4]), first_row: number(&pair[4..]) }
            })
            .collect())
    }

    /// All of it, for merging.
    pub fn load(&self) -> io::Result<Parts> {
        let dictionary = |p: &Place| {
            let text = self.read(p.text..p.text + p.text_len)?;
            Ok::<_, io::Error>(Writer::of(text, self.read(p.rows..p.rows + p.rows_len)?))
        };
        Ok(Parts {
            first_row: self.first_row,
            last_row: self.last_row,
            groups: self.groups()?,
            words: dictionary(&self.words)?,
            marks: dictionary(&self.marks)?,
            lines: whole::load(self)?,
        })
    }

    pub(super) fn place(&self, class: Class) -> &Place {
        if class == Class::Word { &self.words } else { &self.marks }
    }

    pub(super) fn lines(&self) -> &whole::Place {
        &self.lines
    }

    pub(super) fn damaged(&self, what: &str) -> io::Error {
        damaged(&self.path, what)
    }

    pub(super) fn blocks(&self, class: Class) -> io::Result<Blocks> {
        let place = self.place(class);
        let bytes = self.read(place.blocks..place.blocks + 8 * (place.block_count + 1))?;
        Blocks::read(&bytes, place).ok_or_else(|| damaged(&self.path, "its table of blocks"))
    }

    /// Reads a part of the body.
    pub(super) fn read(&self, range: std::ops::Range<u64>) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.read_into(range, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads a part of the body into a buffer, in place of what it held.
    pub(super) fn read_into(
        &self,
        range: std::ops::Range<u64>,
        bytes: &mut Vec<u8>,
    ) -> io::Result<()> {
        let len = usize::try_from(range.end - range.start).map_err(io::Error::other)?;
        bytes.resize(len, 0);
        read_at(&self.file, bytes, HEADER as u64 + range.start)
    }

    /// As [`Self::read_into`], behind a line feed.
    pub(super) fn read_lines_into(
        &self,
        range: std::ops::Range<u64>,
        bytes: &mut Vec<u8>,
    ) -> io::Result<()> {
        let len = usize::try_from(range.end - range.start).map_err(io::Error::other)?;
        bytes.resize(len + 1, 0);
        bytes[0] = b'\n';
        read_at(&self.file, &mut bytes[1..], HEADER as u64 + range.start)
    }
}

fn damaged(path: &Path, what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("{} is damaged ({what}); `headwater rebuild` makes it anew", path.display()),
    )
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                at += read as u64;
            }
        }
    }
    Ok(())
}
