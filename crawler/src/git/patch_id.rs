//! Patch-ids as `git patch-id --stable` computes them: the sum of a hash for each file,
//! over its header and lines without white space, line numbers and object ids. Two quirks
//! of git's are kept, so that the ids are the same: a file without hunks is hashed together
//! with the next, and the header line after a binary file is left out, as is its end (builtin/patch-id.c).

use headwater_store::Oid;
use sha1::{Digest as _, Sha1};

/// The patch-id of one commit, while its diff streams by.
#[derive(Default)]
pub(super) struct PatchId {
    sum: [u8; 20],
    section: Vec<u8>,
    any: bool,
    has_hunks: bool,
    after_binary: bool,
}

impl PatchId {
    /// The `diff --git` line with which a file begins.
    pub(super) fn begin_file(&mut self, line: &[u8]) {
        if self.has_hunks {
            self.end_file();
        }
        self.has_hunks = false;
        if !std::mem::take(&mut self.after_binary) {
            self.line(line);
        }
    }

    /// The file at hand has hunks.
    pub(super) fn hunk(&mut self) {
        self.has_hunks = true;
    }

    /// A header or hunk line of the file at hand, with its sign.
    pub(super) fn line(&mut self, line: &[u8]) {
        self.section.extend(line.iter().filter(|b| !matches!(b, b' ' | b'\t' | b'\n' | b'\r')));
    }

    /// The ids of a file that git calls binary: its content, for this purpose.
    pub(super) fn binary(&mut self, old: Oid, new: Oid) {
        self.section.extend_from_slice(old.to_string().as_bytes());
        self.section.extend_from_slice(new.to_string().as_bytes());
        self.end_file();
        self.after_binary = true;
    }

    fn end_file(&mut self) {
        self.any |= !self.section.is_empty();
        let hash: [u8; 20] = Sha1::digest(&self.section).into();
        self.section.clear();
        // A sum with carry, so that the order of the files does not matter.
        let mut carry = 0_u16;
        for (total, byte) in self.sum.iter_mut().zip(hash) {
            carry += u16::from(*total) + u16::from(byte);
            *total = carry.to_le_bytes()[0];
            carry >>= 8;
        }
    }

    /// The id, and a fresh start; `None` where the commit changed nothing.
    pub(super) fn finish(&mut self) -> Option<Oid> {
        self.end_file();
        let id = self.any.then_some(Oid::from_bytes(self.sum));
        *self = PatchId { section: std::mem::take(&mut self.section), ..PatchId::default() };
        id
    }
}
