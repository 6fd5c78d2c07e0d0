//! The full-text index over the records: kept up with them, and read with them.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{CommitId, IndexState, Store};
use crate::search::{Additions, Reader, SearchIndex};
use crate::{StoreError, exact};

/// What bringing the full-text index up to date did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchUpdate {
    /// How many commits were added.
    pub commits: u64,
    /// The size of the index, in bytes.
    pub bytes: u64,
}

impl Store {
    /// Where the full-text index lies.
    pub fn search_dir(&self) -> PathBuf {
        self.dir.join("search")
    }

    /// The full-text index as it is; `None` where it does not cover every record, is
    /// damaged, or was made from other records.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn current_search(&self) -> Result<Option<SearchIndex>, StoreError> {
        let (mark, last) = (self.mark()?, self.last_commit()?);
        let index = SearchIndex::open(&self.search_dir()).unwrap_or(None);
        Ok(index.filter(|index| Some(&index.mark) == mark.as_ref() && index.through == last))
    }

    /// The full-text index, covering every record: one that lags behind, after a crash
    /// say, is brought up to date first.
    ///
    /// # Errors
    /// Those of SQLite, of the file system and of the index.
    pub fn search(&self, jobs: usize) -> Result<SearchIndex, StoreError> {
        if let Some(index) = self.current_search()? {
            return Ok(index);
        }
        self.update_search(jobs).map_err(StoreError::into_stale)?;
        self.current_search()?.ok_or_else(|| StoreError::Search("it cannot be made".to_owned()))
    }

    /// Whether the full-text index covers what the records hold.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn search_state(&self) -> Result<IndexState, StoreError> {
        let (mark, last) = (self.mark()?, self.last_commit()?);
        let dir = self.search_dir();
        Ok(match SearchIndex::open(&dir) {
            Err(error) => IndexState::Damaged(error.to_string()),
            Ok(None) => IndexState::Missing,
            Ok(Some(index)) if Some(index.mark.as_str()) != mark.as_deref() => IndexState::Foreign,
            Ok(Some(index)) => IndexState::of(index.through, last, size(&dir)),
        })
    }

    /// Reads every file of the full-text index and compares it with its checksum; tells
    /// what is damaged, and a number of commits that is not that of the records.
    ///
    /// # Errors
    /// Where the index cannot be opened.
    pub fn damaged_search(&self) -> Result<Vec<String>, StoreError> {
        let Some(index) = SearchIndex::open(&self.search_dir())? else { return Ok(Vec::new()) };
        let mut damaged: Vec<String> = index
            .damaged()?
            .into_iter()
            .map(|file| format!("{file} does not have its checksum"))
            .collect();
        let stored: u64 = self.conn.query_row(
            "SELECT count(*) FROM commit_record WHERE id <= ?1",
            [index.through],
            |row| row.get(0),
        )?;
        if stored != index.documents() {
            damaged.push(format!("it holds {} of {stored} commits", index.documents()));
        }
        Ok(damaged)
    }

    /// Brings the full-text index up to date.
    ///
    /// # Errors
    /// Those of SQLite, of the file system and of the index.
    pub fn update_search(&self, jobs: usize) -> Result<SearchUpdate, StoreError> {
        let dir = self.search_dir();
        let _lock = exact::lock(&dir).map_err(StoreError::io(&dir))?;
        let (mark, last) = (self.made_mark()?, self.last_commit()?);
        // One that cannot be read is made anew, as is one of other records.
        let old = SearchIndex::open(&dir).unwrap_or(None);
        let old = old.filter(|index| index.mark == mark && index.through <= last);
        if old.as_ref().is_some_and(|index| index.through == last) {
            return Ok(SearchUpdate { commits: 0, bytes: size(&dir) });
        }
        let after = CommitId(old.as_ref().map_or(0, |index| index.through));
        let additions = Additions::begin(&dir, old.as_ref(), jobs.max(1))?;
        let cut = AtomicU64::new(old.as_ref().map_or(0, |index| index.cut));
        // A reader remembers words, so each thread takes one and gives it back.
        let readers: Mutex<Vec<Reader>> = Mutex::default();
        let mut commits = 0;
        for (upstream, _) in self.upstream_names()? {
            let ids = self.commit_ids_after(upstream, after)?;
            let ids: Vec<CommitId> = ids.into_iter().filter(|id| id.0 <= last).collect();
            let added = self.map_patches(upstream, &ids, jobs, |patch| {
                let known = readers.lock().ok().and_then(|mut readers| readers.pop());
                let mut reader = known.unwrap_or_default();
                let (document, shortened) = reader.read(&additions.fields, &patch);
                cut.fetch_add(u64::from(shortened), Ordering::Relaxed);
                if let Ok(mut readers) = readers.lock() {
                    readers.push(reader);
                }
                additions.add(document)
            })?;
            commits += added.len() as u64;
            added.into_iter().collect::<Result<(), _>>()?;
        }
        additions.finish(&mark, last, cut.into_inner())?;
        Ok(SearchUpdate { commits, bytes: size(&dir) })
    }

    /// Makes the full-text index anew.
    ///
    /// # Errors
    /// Those of SQLite, of the file system and of the index.
    pub fn rebuild_search(&self, jobs: usize) -> Result<SearchUpdate, StoreError> {
        self.writes()?;
        let dir = self.search_dir();
        {
            let _lock = exact::lock(&dir).map_err(StoreError::io(&dir))?;
            crate::search::clear(&dir).map_err(StoreError::io(&dir))?;
        }
        self.update_search(jobs)
    }

    /// The last commit's row.
    pub(crate) fn last_commit(&self) -> Result<i64, StoreError> {
        Ok(self
            .conn
            .prepare_cached("SELECT coalesce(max(id), 0) FROM commit_record")?
            .query_row([], |row| row.get(0))?)
    }
}

/// The size of all files in a directory.
fn size(dir: &std::path::Path) -> u64 {
    let files = std::fs::read_dir(dir).into_iter().flatten().flatten();
    files.filter_map(|entry| entry.metadata().ok()).map(|data| data.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::exact::tests::add;
    use crate::search::{Clause, Cutter};

    fn count(store: &Store, words: &str) -> usize {
        let clauses = Clause::of(&Cutter::default(), words, &[], false);
        store.search(2).unwrap().find(&clauses, true, 10, |_| true).unwrap().1
    }

    #[test]
    fn an_index_that_lags_behind_catches_up_by_itself() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open_or_create(dir.path()).unwrap();
        assert_eq!(count(&store, "word_1"), 0);
        add(&mut store, 0..3);
        assert_eq!(store.search_state().unwrap(), IndexState::Behind(3));
        assert_eq!(store.update_search(2).unwrap().commits, 3);
        assert_eq!(store.update_search(2).unwrap().commits, 0);
        for round in 1..12 {
            add(&mut store, round * 3..round * 3 + 3);
            assert_eq!(count(&store, &format!("word_{}", round * 3 + 1)), 1);
        }
        assert_eq!(count(&store, "word_0"), 1);
        assert_eq!(count(&store, "word"), 36);
        assert!(matches!(store.search_state().unwrap(), IndexState::Current(_)));
        assert_eq!(store.damaged_search().unwrap(), [] as [&str; 0]);
    }

    #[test]
    fn what_is_damaged_or_of_other_records_is_made_anew() {
        let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut one = Store::open_or_create(a.path()).unwrap();
        add(&mut one, 0..2);
        one.update_search(1).unwrap();
        let mut other = Store::open_or_create(b.path()).unwrap();
        add(&mut other, 7..9);
        std::fs::create_dir(other.search_dir()).unwrap();
        for entry in std::fs::read_dir(one.search_dir()).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), other.search_dir().join(entry.file_name())).unwrap();
        }
        assert_eq!(other.search_state().unwrap(), IndexState::Foreign);
        assert_eq!((count(&other, "word_7"), count(&other, "word_0")), (1, 0));
        for entry in std::fs::read_dir(one.search_dir()).unwrap() {
            std::fs::write(entry.unwrap().path(), b"").unwrap();
        }
        assert_eq!(count(&one, "word_1"), 1);
    }
}
