//! Reading what `git diff-tree --stdin -p --raw -z` prints.
//!
//! A commit begins with the marker of [`FORMAT`]; NUL-terminated fields and raw entries
//! follow, then patches. Hunks are consumed by the counts of their `@@` line, so that no
//! line inside one is ever taken for a header. Messages and paths hold no NUL.

use std::collections::HashSet;
use std::io::BufRead;

use chrono::DateTime;
use headwater_store::model::{ChangeStatus, Commit, FileChange, Person, hunk_header};
use headwater_store::pack::{Packer, Unpacker};
use headwater_store::{NewChange, NewCommit, Oid};

use super::patch_id::PatchId;
use crate::CrawlError;

/// The format of a commit's header, for `git diff-tree --format`.
pub(super) const FORMAT: &str =
    "%x00%x00H%H%x00%T%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B%x00";

/// A patch text larger than this is taken for damage.
const LARGEST_LINE: u64 = 1 << 30;

/// Reads commits from one git process.
pub(super) struct Stream<'a, R> {
    input: R,
    missing: &'a HashSet<Oid>,
    /// These commits are merges: their texts are not in the stream.
    deferred: bool,
    packer: Packer,
    line: Vec<u8>,
}

impl<'a, R: BufRead> Stream<'a, R> {
    pub(super) fn new(
        input: R,
        missing: &'a HashSet<Oid>,
        deferred: bool,
    ) -> Result<Self, CrawlError> {
        let packer = Packer::new()?;
        Ok(Stream { input, missing, deferred, packer, line: Vec::new() })
    }

    /// The next commit, without its parents, or `None` at the end.
    pub(super) fn next_commit(&mut self) -> Result<Option<NewCommit>, CrawlError> {
        self.skip_while(|byte| byte == 0 || byte == b'\n')?;
        match self.peek()? {
            None => return Ok(None),
            Some(b'H') => self.input.consume(1),
            Some(other) => {
                return Err(damaged(&format!("byte {other:#04x} where a commit begins")));
            }
        }
        let commit = self.header()?;
        let mut files = self.raw_entries()?;
        let patch_id = self.patches(&mut files)?;
        let gap = files.iter().any(|file| file.change.gap);
        let patch_id = patch_id.filter(|_| !gap && !self.deferred);
        Ok(Some(NewCommit { commit, patch_id, files, unproven: false }))
    }

    fn header(&mut self) -> Result<Commit, CrawlError> {
        let oid = self.oid_field()?;
        let tree = self.oid_field()?;
        let author = Person { name: self.text_field()?, email: self.text_field()? };
        let authored = self.time_field()?;
        let committer = Person { name: self.text_field()?, email: self.text_field()? };
        let committed = self.time_field()?;
        let message = self.text_field()?.trim_end_matches('\n').to_owned();
        Ok(Commit {
            oid,
            tree,
            parents: Vec::new(),
            author,
            authored,
            committer,
            committed,
            message,
        })
    }

    fn raw_entries(&mut self) -> Result<Vec<NewChange>, CrawlError> {
        // The format's own end, and a line feed. The next commit's marker may follow at
        // once, whose NULs are skipped in any case.
        self.skip_while(|byte| byte == 0 || byte == b'\n')?;
        let mut files = Vec::new();
        while self.peek()? == Some(b':') {
            self.input.consume(1);
            let meta = self.text_field()?;
            let words: Vec<&str> = meta.split(' ').collect();
            let [old_mode, new_mode, old, new, status] = words[..] else {
                return Err(damaged(&format!("the raw entry {meta:?}")));
            };
            let bad = || damaged(&format!("the raw entry {meta:?}"));
            let mode = |text| u32::from_str_radix(text, 8).map_err(|_| bad());
            let oid = |text: &str| text.parse::<Oid>().map_err(|_| bad());
            let letter = status.bytes().next().ok_or_else(bad)?;
            let status = ChangeStatus::from_letter(letter).ok_or_else(bad)?;
            let first = self.text_field()?;
            let moved = matches!(status, ChangeStatus::Renamed | ChangeStatus::Copied);
            let (path, old_path) =
                if moved { (self.text_field()?, Some(first)) } else { (first, None) };
            let (old_blob, new_blob) = (oid(old)?, oid(new)?);
            let gap = self.missing.contains(&old_blob) || self.missing.contains(&new_blob);
            let change = FileChange {
                path,
                old_path,
                status,
                old_mode: mode(old_mode)?,
                new_mode: mode(new_mode)?,
                old_blob,
                new_blob,
                added: 0,
                deleted: 0,
                binary: false,
                gap,
                hunks: Vec::new(),
            };
            files.push(NewChange { change, hunks: None, deferred: self.deferred });
        }
        Ok(files)
    }

    fn patches(&mut self, files: &mut [NewChange]) -> Result<Option<Oid>, CrawlError> {
        let mut patch_id = PatchId::default();
        self.skip_nul_before(b'd')?;
        let mut at = 0;
        let mut open = self.peek()? == Some(b'd') && self.next_line()?;
        while open {
            if !self.line.starts_with(b"diff --git ") {
                return Err(damaged(&format!("{:?} where a file's patch begins", self.shown())));
            }
            patch_id.begin_file(&self.line);
            let mut section = Section::default();
            open = self.section(&mut section, &mut patch_id)?;
            at = place(files, at, &section).ok_or_else(|| {
                damaged(&format!("a patch that no raw entry names, of blob {:?}", section.ids))
            })?;
            let Some(file) = files.get_mut(at) else { continue };
            file.change.binary |= section.binary;
            if file.change.gap {
                continue; // what was compared may be what stands in for a missing blob
            }
            file.change.added += section.added;
            file.change.deleted += section.deleted;
            if !section.hunks.is_empty() {
                let mut text = section.hunks;
                if let Some((size, earlier)) = file.hunks.take() {
                    // A change of type has two sections: a deletion and an addition.
                    let mut whole = Unpacker::new()?.unpack(size, &earlier)?;
                    whole.append(&mut text);
                    text = whole;
                }
                let packed = self.packer.pack(&text)?;
                file.hunks = Some((text.len(), packed));
            }
        }
        Ok(patch_id.finish())
    }

    /// Reads one file's patch after its first line; tells whether another follows, whose
    /// first line is then at hand.
    fn section(&mut self, section: &mut Section, id: &mut PatchId) -> Result<bool, CrawlError> {
        loop {
            if self.peek()?.is_none_or(|byte| byte == 0) || !self.next_line()? {
                return Ok(false);
            }
            if self.line.starts_with(b"diff --git ") {
                return Ok(true);
            }
            if self.line.starts_with(b"@@ ") {
                self.hunk(section, id)?;
            } else if let Some(rest) = self.line.strip_prefix(b"index ") {
                section.ids = index_ids(rest);
            } else if self.line.starts_with(b"Binary files ") {
                section.binary = true;
                let (old, new) = section.ids.unwrap_or_default();
                id.binary(old, new);
            } else if self.line.starts_with(b"\\ ") {
                section.hunks.extend_from_slice(&self.line);
            } else {
                id.line(&self.line);
            }
        }
    }

    fn hunk(&mut self, section: &mut Section, id: &mut PatchId) -> Result<(), CrawlError> {
        let Some(([_, mut old, _, mut new], _)) = hunk_header(&self.line) else {
            return Err(damaged(&format!("the hunk header {:?}", self.shown())));
        };
        id.hunk();
        section.hunks.extend_from_slice(&self.line);
        while old > 0 || new > 0 {
            if !self.next_line()? {
                return Err(damaged("a hunk was cut short"));
            }
            match self.line.first() {
                Some(b'-') => (section.deleted, old) = (section.deleted + 1, old.saturating_sub(1)),
                Some(b'+') => (section.added, new) = (section.added + 1, new.saturating_sub(1)),
                Some(b'\\') => {
                    section.hunks.extend_from_slice(&self.line);
                    continue;
                }
                _ => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
            }
            id.line(&self.line);
            section.hunks.extend_from_slice(&self.line);
        }
        Ok(())
    }

    fn peek(&mut self) -> Result<Option<u8>, CrawlError> {
        Ok(self.input.fill_buf().map_err(|e| damaged(&e.to_string()))?.first().copied())
    }

    fn skip_while(&mut self, skip: impl Fn(u8) -> bool) -> Result<(), CrawlError> {
        while self.peek()?.is_some_and(&skip) {
            self.input.consume(1);
        }
        Ok(())
    }

    /// Skips the NUL between the raw entries and the patches, but none of the next
    /// commit's marker.
    fn skip_nul_before(&mut self, next: u8) -> Result<(), CrawlError> {
        let buffer = self.input.fill_buf().map_err(|e| damaged(&e.to_string()))?;
        match buffer {
            [0, byte, ..] if *byte == next => self.input.consume(1),
            // The buffer ends between the two: a marker's second NUL is skipped with the
            // first when the next commit begins.
            [0] => self.input.consume(1),
            _ => {}
        }
        Ok(())
    }

    fn next_line(&mut self) -> Result<bool, CrawlError> {
        self.line.clear();
        let mut limited = std::io::Read::take(&mut self.input, LARGEST_LINE);
        let read =
            limited.read_until(b'\n', &mut self.line).map_err(|e| damaged(&e.to_string()))?;
        Ok(read > 0)
    }

    fn field(&mut self) -> Result<Vec<u8>, CrawlError> {
        let mut field = Vec::new();
        let mut limited = std::io::Read::take(&mut self.input, LARGEST_LINE);
        limited.read_until(0, &mut field).map_err(|e| damaged(&e.to_string()))?;
        match field.pop() {
            Some(0) => Ok(field),
            _ => Err(damaged("a field was cut short")),
        }
    }

    fn text_field(&mut self) -> Result<String, CrawlError> {
        let field = self.field()?;
        Ok(String::from_utf8(field)
            .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()))
    }

    fn oid_field(&mut self) -> Result<Oid, CrawlError> {
        let text = self.text_field()?;
        text.parse().map_err(|e: headwater_store::NotAnOid| damaged(&e.to_string()))
    }

    fn time_field(&mut self) -> Result<DateTime<chrono::Utc>, CrawlError> {
        let text = self.text_field()?;
        let seconds = text.parse().map_err(|_| damaged(&format!("the time {text:?}")))?;
        Ok(DateTime::from_timestamp(seconds, 0).unwrap_or_default())
    }

    fn shown(&self) -> String {
        String::from_utf8_lossy(&self.line[..self.line.len().min(80)]).into_owned()
    }
}

#[derive(Debug, Default)]
struct Section {
    ids: Option<(Oid, Oid)>,
    binary: bool,
    added: u32,
    deleted: u32,
    hunks: Vec<u8>,
}

/// The raw entry, from `at` on, that a section belongs to: one whose texts do not differ
/// for git has none (both blobs missing).
fn place(files: &[NewChange], at: usize, section: &Section) -> Option<usize> {
    let fits = |file: &NewChange| {
        let change = &file.change;
        match section.ids {
            Some((old, new)) if change.status == ChangeStatus::TypeChanged => {
                (old == change.old_blob || old.is_zero())
                    && (new == change.new_blob || new.is_zero())
            }
            Some((old, new)) => old == change.old_blob && new == change.new_blob,
            None => change.old_blob == change.new_blob || change.old_mode != change.new_mode,
        }
    };
    // A section that was placed already is only met again by a change of type.
    (at..files.len()).find(|i| {
        files.get(*i).is_some_and(|file| {
            let taken = file.hunks.is_some() && file.change.status != ChangeStatus::TypeChanged;
            !taken && fits(file)
        })
    })
}

fn index_ids(rest: &[u8]) -> Option<(Oid, Oid)> {
    let old = Oid::from_hex(rest.get(..40)?)?;
    let new = Oid::from_hex(rest.get(42..82)?)?;
    Some((old, new))
}

fn damaged(detail: &str) -> CrawlError {
    CrawlError::Stream(detail.to_owned())
}
