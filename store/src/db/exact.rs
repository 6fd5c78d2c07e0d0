//! The exact index over the records: kept up with them, and read with them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rusqlite::{OptionalExtension as _, params};

use super::{IndexState, Store, UpstreamId};
use crate::StoreError;
use crate::exact::{self, Builder, Index, Parts, Segment};
use crate::pack::Unpacker;

/// A builder that has taken this much memory is turned into a segment.
const LARGE: usize = 384 << 20;

/// What bringing the index up to date did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExactUpdate {
    /// How many texts were added.
    pub patches: u64,
    /// The size of the index, in bytes.
    pub bytes: u64,
}

impl Store {
    /// Where the exact index lies.
    pub fn exact_dir(&self) -> PathBuf {
        self.dir.join("exact")
    }

    /// The exact index, covering every record: one that lags behind, after a crash say,
    /// is brought up to date first.
    ///
    /// # Errors
    /// Those of SQLite and of the file system.
    pub fn exact(&self, jobs: usize) -> Result<Index, StoreError> {
        let dir = self.exact_dir();
        let (mark, last) = (self.mark()?, self.last_text()?);
        let whole = |index: &Index| Some(&index.mark) == mark.as_ref() && index.through == last;
        let open = || Index::open(&dir).map_err(StoreError::io(&dir));
        // One that cannot be read is made anew.
        if let Some(index) = open().unwrap_or(None).filter(whole) {
            return Ok(index);
        }
        self.update_exact(jobs).map_err(StoreError::into_stale)?;
        open()?.ok_or_else(|| StoreError::Damaged("the exact index cannot be made".to_owned()))
    }

    /// Whether the exact index covers what the records hold.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn exact_state(&self) -> Result<IndexState, StoreError> {
        let (mark, last) = (self.mark()?, self.last_text()?);
        Ok(match Index::open(&self.exact_dir()) {
            Err(error) => IndexState::Damaged(error.to_string()),
            Ok(None) => IndexState::Missing,
            Ok(Some(index)) if Some(index.mark.as_str()) != mark.as_deref() => IndexState::Foreign,
            Ok(Some(index)) => IndexState::of(index.through.into(), last.into(), index.bytes()),
        })
    }

    /// Reads every file of the exact index and compares it with its digest; tells what is
    /// damaged.
    ///
    /// # Errors
    /// Where the index cannot be opened.
    pub fn damaged_exact(&self) -> Result<Vec<String>, StoreError> {
        let dir = self.exact_dir();
        let Some(index) = Index::open(&dir).map_err(StoreError::io(&dir))? else {
            return Ok(Vec::new());
        };
        let damaged = index.all_segments().filter_map(|segment| segment.check().err());
        Ok(damaged.map(|error| error.to_string()).collect())
    }

    /// Brings the exact index up to date.
    ///
    /// # Errors
    /// Those of SQLite and of the file system.
    pub fn update_exact(&self, jobs: usize) -> Result<ExactUpdate, StoreError> {
        let dir = self.exact_dir();
        let io = StoreError::io(&dir);
        let lock = exact::lock(&dir).map_err(StoreError::io(&dir))?;
        let (mark, last) = (self.made_mark()?, self.last_text()?);
        // One that cannot be read is made anew, as is one of other records.
        let old = Index::open(&dir).unwrap_or(None);
        let old = old.filter(|index| index.mark == mark && index.through <= last);
        let after = old.as_ref().map_or(0, |index| index.through);
        if let Some(index) = old.as_ref().filter(|index| index.through == last) {
            return Ok(ExactUpdate { patches: 0, bytes: index.bytes() });
        }
        let built = self.build(after, last, jobs.max(1))?;
        let patches = built.patches;
        exact::extend(&dir, &lock, old, &mark, last, built.parts).map_err(io)?;
        let bytes =
            Index::open(&dir).map_err(StoreError::io(&dir))?.map_or(0, |index| index.bytes());
        Ok(ExactUpdate { patches, bytes })
    }

    /// Makes the exact index anew.
    ///
    /// # Errors
    /// Those of SQLite and of the file system.
    pub fn rebuild_exact(&self, jobs: usize) -> Result<ExactUpdate, StoreError> {
        self.writes()?;
        let dir = self.exact_dir();
        {
            let _lock = exact::lock(&dir).map_err(StoreError::io(&dir))?;
            let manifest = dir.join("manifest");
            if manifest.exists() {
                std::fs::remove_file(&manifest).map_err(StoreError::io(&manifest))?;
            }
        }
        self.update_exact(jobs)
    }

    /// The segments of an upstream.
    pub fn exact_segments<'a>(&self, index: &'a Index, upstream: UpstreamId) -> &'a [Segment] {
        index.segments(upstream.0)
    }

    /// Reads the hunks in a row, in place of what `text` held; a row without any leaves
    /// it empty.
    ///
    /// # Errors
    /// Those of SQLite, and text that cannot be decompressed.
    pub fn hunks(
        &self,
        row: u32,
        unpacker: &mut Unpacker,
        text: &mut Vec<u8>,
    ) -> Result<(), StoreError> {
        let mut query =
            self.conn.prepare_cached("SELECT bytes, hunks FROM patch WHERE change_id = ?1")?;
        text.clear();
        let mut rows = query.query([row])?;
        if let Some(row) = rows.next()? {
            let bytes: i64 = row.get(0)?;
            let packed = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
            unpacker.unpack_into(usize::try_from(bytes).unwrap_or(0), packed, text)?;
        }
        Ok(())
    }

    /// The length of a row's text; 0 where it has none.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn text_len(&self, row: u32) -> Result<u64, StoreError> {
        let mut query = self.conn.prepare_cached("SELECT bytes FROM patch WHERE change_id = ?1")?;
        Ok(query.query_row([row], |row| row.get(0)).optional()?.unwrap_or(0))
    }

    /// The paths of a change: after it and, where it moved, before it.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn paths_of(&self, row: u32) -> Result<(String, Option<String>), StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT p.path, o.path FROM file_change f JOIN path p ON p.id = f.path_id
             LEFT JOIN path o ON o.id = f.old_path_id WHERE f.id = ?1",
        )?;
        Ok(query.query_row([row], |row| Ok((row.get(0)?, row.get(1)?)))?)
    }

    /// The mark that the index over these records must carry; made at the first asking.
    pub(super) fn mark(&self) -> Result<Option<String>, StoreError> {
        let mut query =
            self.conn.prepare_cached("SELECT lower(hex(mark)) FROM exact_index LIMIT 1")?;
        Ok(query.query_row([], |row| row.get(0)).optional()?)
    }

    /// The same, given to records that carry none yet.
    pub(super) fn made_mark(&self) -> Result<String, StoreError> {
        if let Some(mark) = self.mark()? {
            return Ok(mark);
        }
        self.conn.execute(
            "INSERT INTO exact_index (mark) SELECT randomblob(16)
             WHERE NOT EXISTS (SELECT 1 FROM exact_index)",
            [],
        )?;
        self.mark()?.ok_or_else(|| StoreError::Damaged("the exact index has no mark".to_owned()))
    }

    fn last_text(&self) -> Result<u32, StoreError> {
        let last: i64 = self
            .conn
            .prepare_cached("SELECT coalesce(max(change_id), 0) FROM patch")?
            .query_row([], |row| row.get(0))?;
        u32::try_from(last).map_err(|_| StoreError::Damaged("too many changes".to_owned()))
    }

    fn build(&self, after: u32, last: u32, jobs: usize) -> Result<Built, StoreError> {
        let share = (last - after).div_ceil(jobs as u32).max(1024);
        let ranges: Vec<(u32, u32)> = (0..jobs as u32)
            .map(|n| {
                let edge = |n: u32| after.saturating_add(n.saturating_mul(share)).min(last);
                (edge(n), edge(n + 1))
            })
            .filter(|(start, end)| start < end)
            .collect();
        if let [(start, end)] = ranges[..] {
            return self.build_range(start, end);
        }
        let stores = ranges.iter().map(|_| self.reopen()).collect::<Result<Vec<_>, _>>()?;
        let results: Vec<Result<Built, StoreError>> = std::thread::scope(|scope| {
            let workers: Vec<_> = stores
                .into_iter()
                .zip(&ranges)
                .map(|(store, &(start, end))| scope.spawn(move || store.build_range(start, end)))
                .collect();
            let died = || Err(StoreError::Damaged("a builder of the exact index died".to_owned()));
            workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| died())).collect()
        });
        let mut all = Built::default();
        for built in results {
            let built = built?;
            all.patches += built.patches;
            for (upstream, mut parts) in built.parts {
                all.parts.entry(upstream).or_default().append(&mut parts);
            }
        }
        Ok(all)
    }

    /// Builds the rows after `start` through `end`.
    fn build_range(&self, start: u32, end: u32) -> Result<Built, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT t.change_id, f.commit_id, c.upstream_id, t.bytes, t.hunks
             FROM patch t CROSS JOIN file_change f ON f.id = t.change_id
             CROSS JOIN commit_record c ON c.id = f.commit_id
             WHERE t.change_id > ?1 AND t.change_id <= ?2 ORDER BY t.change_id",
        )?;
        let mut rows = query.query(params![start, end])?;
        let mut unpacker = Unpacker::new()?;
        let mut text = Vec::new();
        let mut builders: BTreeMap<i64, Builder> = BTreeMap::new();
        let mut built = Built::default();
        while let Some(row) = rows.next()? {
            let (change, commit, upstream) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let bytes: i64 = row.get(3)?;
            let packed = row.get_ref(4)?.as_blob().map_err(rusqlite::Error::from)?;
            unpacker.unpack_into(usize::try_from(bytes).unwrap_or(0), packed, &mut text)?;
            let builder = builders.entry(upstream).or_default();
            builder.add(change, commit, &text);
            built.patches += 1;
            if builder.memory() > LARGE {
                built.push(upstream, std::mem::take(builder))?;
            }
        }
        for (upstream, builder) in builders {
            built.push(upstream, builder)?;
        }
        Ok(built)
    }
}

#[derive(Default)]
struct Built {
    patches: u64,
    parts: BTreeMap<i64, Vec<Parts>>,
}

impl Built {
    fn push(&mut self, upstream: i64, builder: Builder) -> Result<(), StoreError> {
        let parts = builder.finish().map_err(|_| {
            StoreError::Damaged("a segment of the exact index grew too large".to_owned())
        })?;
        self.parts.entry(upstream).or_default().extend(parts);
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::db::{NewChange, NewCommit, WriteCaches};
    use crate::exact::{Lookup, Pattern, PatternOptions};
    use crate::model::{ChangeStatus, Commit, FileChange, Person};
    use crate::pack::Packer;
    use crate::{Oid, UpstreamId};

    fn commit(number: u8, line: &str) -> NewCommit {
        let person = Person { name: "a".into(), email: "a@example.org".into() };
        let hunks = format!("@@ -0,0 +1 @@\n+{line}\n").into_bytes();
        let change = FileChange {
            path: "file".into(),
            old_path: None,
            status: ChangeStatus::Added,
            old_mode: 0,
            new_mode: 0o100_644,
            old_blob: Oid::ZERO,
            new_blob: Oid::from_bytes([number; 20]),
            added: 1,
            deleted: 0,
            binary: false,
            gap: false,
            hunks: Vec::new(),
        };
        let packed = Packer::new().unwrap().pack(&hunks).unwrap();
        NewCommit {
            commit: Commit {
                oid: Oid::from_bytes([number; 20]),
                tree: Oid::ZERO,
                parents: Vec::new(),
                author: person.clone(),
                authored: DateTime::UNIX_EPOCH,
                committer: person,
                committed: DateTime::UNIX_EPOCH,
                message: "m".into(),
            },
            patch_id: None,
            files: vec![NewChange { change, hunks: Some((hunks.len(), packed)), deferred: false }],
            unproven: false,
        }
    }

    pub(in crate::db) fn add(store: &mut Store, numbers: std::ops::Range<u8>) -> UpstreamId {
        let upstream = store.ensure_upstream("u").unwrap();
        let receipt = store.add_receipt(upstream, "git", "d", DateTime::UNIX_EPOCH).unwrap();
        let mut caches = WriteCaches::default();
        let mut writer = store.writer(upstream, receipt, &mut caches).unwrap();
        for number in numbers {
            writer.add_commit(&commit(number, &format!("word_{number}->x y{number}"))).unwrap();
        }
        writer.commit().unwrap();
        upstream
    }

    /// How many rows the index tells for a pattern.
    fn count(store: &Store, upstream: UpstreamId, pattern: &str) -> u32 {
        let pattern = Pattern::new(&[pattern], PatternOptions::default()).unwrap();
        let lookup = Lookup::new(&pattern, 1);
        let index = store.exact(2).unwrap();
        let segments = store.exact_segments(&index, upstream).iter();
        segments.map(|segment| lookup.candidates(segment).unwrap().rows.count()).sum()
    }

    #[test]
    fn an_index_that_lags_behind_catches_up_by_itself() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open_or_create(dir.path()).unwrap();
        let upstream = add(&mut store, 0..3);
        assert_eq!(store.update_exact(2).unwrap().patches, 3);
        assert_eq!(store.update_exact(2).unwrap().patches, 0);
        for round in 1..30 {
            add(&mut store, round * 3..round * 3 + 3);
            assert_eq!(count(&store, upstream, "word_[0-9]+"), u32::from(round) * 3 + 3);
            assert_eq!(count(&store, upstream, &format!(r"\bword_{}\b", round * 3 + 2)), 1);
            let index = store.exact(1).unwrap();
            assert!(store.exact_segments(&index, upstream).len() <= 9);
        }
        assert_eq!(count(&store, upstream, r"\bword_0\b"), 1);
    }

    #[test]
    fn an_index_that_is_not_of_these_records_is_made_anew() {
        let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut one = Store::open_or_create(a.path()).unwrap();
        let upstream = add(&mut one, 0..2);
        one.update_exact(1).unwrap();
        let mut other = Store::open_or_create(b.path()).unwrap();
        add(&mut other, 7..9);
        std::fs::create_dir(other.exact_dir()).unwrap();
        for entry in std::fs::read_dir(one.exact_dir()).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), other.exact_dir().join(entry.file_name())).unwrap();
        }
        assert_eq!(count(&other, upstream, "word_7"), 1);
        assert_eq!(count(&other, upstream, "word_0"), 0);
    }

    #[test]
    fn what_a_crash_left_behind_does_no_harm() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open_or_create(dir.path()).unwrap();
        let upstream = add(&mut store, 0..2);
        store.update_exact(1).unwrap();
        let index = store.exact_dir();
        std::fs::write(index.join("1-9-9-abc.new"), b"half a segment").unwrap();
        std::fs::write(index.join("1-9-9-abd"), b"one that no manifest names").unwrap();
        assert_eq!(count(&store, upstream, "word_1"), 1);
        // A manifest that was cut short, or that names what is not there.
        let manifest = std::fs::read_to_string(index.join("manifest")).unwrap();
        std::fs::write(index.join("manifest"), &manifest[..manifest.len() - 4]).unwrap();
        assert_eq!(count(&store, upstream, "word_1"), 1);
        std::fs::write(index.join("manifest"), &manifest[..20]).unwrap();
        assert_eq!(count(&store, upstream, "word_1"), 1);
        store.rebuild_exact(1).unwrap();
        assert_eq!(count(&store, upstream, "y[01]"), 2);
        assert!(!index.join("1-9-9-abd").exists());
    }
}
