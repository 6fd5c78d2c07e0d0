//! The SQLite database: opening, migrations, and the shared parts of reading.

mod access;
mod check;
mod commit_list;
mod commits;
mod comparisons;
mod coverage;
mod crawls;
mod default_events;
mod derivations;
mod digest_runs;
mod doubts;
mod dump;
mod exact;
mod held;
mod labels;
mod models;
mod observations;
mod patches;
mod places;
mod ranking;
mod receipts;
mod refs;
mod reports;
mod rig_readings;
mod search;
mod statements;
mod write;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension as _};
use serde::Serialize;

use crate::StoreError;
use crate::objects::ObjectStore;
use crate::progress::{Progress, Silent, Stage};

use access::Access;

pub use access::Lying;
pub use check::IndexState;
pub use commit_list::ListedCommit;
pub use commits::StoredCommit;
pub use comparisons::{Comparison, Seen};
pub use coverage::Scope;
pub use crawls::{CrawlRecord, UpstreamStatus};
pub use default_events::{DefaultEventRow, NewDefaultEvents};
pub use derivations::Derivation;
pub use digest_runs::{DigestRun, Rows};
pub use exact::ExactUpdate;
pub use held::Held;
pub use models::{
    MODELS, ModelFacts, ModelLayer, ModelPlace, ModelReading, ModelSeen, ModelTransport,
    ModelVersion, NewModelVersion, same_value,
};
pub use observations::{
    Measured, NewObservation, Observation, ObservedInput, ObservedWindow, Run, Toggle, Withdrawn,
};
pub use patches::{Content, StoredPatch};
pub use places::Place;
pub use ranking::{NameRow, RankingRow, TermCounts};
pub use receipts::NewReceipt;
pub use reports::{NewReport, ReportCheck, SavedReport};
pub use rig_readings::StoredReading;
pub use search::SearchUpdate;
pub use statements::{Look, Markup, NewStatement, Statement, StatementKind};
pub use write::{NewChange, NewCommit, WriteCaches, Writer};

const MIGRATIONS: &[&str] = &[
    include_str!("../../../migrations/0001_records.sql"),
    include_str!("../../../migrations/0002_default_events.sql"),
    include_str!("../../../migrations/0003_ranking.sql"),
    include_str!("../../../migrations/0004_labels.sql"),
    include_str!("../../../migrations/0005_exact.sql"),
    include_str!("../../../migrations/0006_models.sql"),
    include_str!("../../../migrations/0007_commit_graph.sql"),
    include_str!("../../../migrations/0008_upstream_reports.sql"),
    include_str!("../../../migrations/0009_measurements.sql"),
    include_str!("../../../migrations/0010_statements.sql"),
    include_str!("../../../migrations/0011_window_doubts.sql"),
    include_str!("../../../migrations/0013_digest_runs.sql"),
    include_str!("../../../migrations/0014_rig_readings.sql"),
    include_str!("../../../migrations/0015_withdrawn_observations.sql"),
];

/// So many steps of SQLite's machine lie between two questions whether anybody waits: about
/// a millisecond.
const STEPS: i32 = 20_000;

/// The row of an upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct UpstreamId(pub(crate) i64);

/// The row of a commit. Ids grow in the order in which crawls stored commits, which is
/// not the order of history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct CommitId(pub(crate) i64);

impl CommitId {
    /// Before every commit.
    pub const NONE: CommitId = CommitId(0);

    /// The row's number.
    pub const fn row(self) -> i64 {
        self.0
    }
}

/// Many reads of the same state.
pub struct Snapshot<'a>(
    #[expect(dead_code, reason = "held until it is dropped")] rusqlite::Transaction<'a>,
);

/// A knowledge store: a directory with a database, object stores and indexes.
pub struct Store {
    dir: PathBuf,
    pub(crate) conn: Connection,
    progress: Arc<dyn Progress>,
    held: Option<Arc<Held>>,
    access: Access,
}

impl Store {
    /// What the database is called in its directory; SQLite puts files beside it whose names
    /// begin alike.
    pub const DATABASE: &str = "headwater.db";
    /// What the directory of all object stores is called there.
    pub const OBJECTS: &str = "objects";

    /// Opens the store in `dir` to read and write, and makes it where there is none.
    ///
    /// # Errors
    /// Where the directory cannot be made, or holds a damaged or newer store.
    pub fn open_or_create(dir: &Path) -> Result<Self, StoreError> {
        std::fs::create_dir_all(dir).map_err(StoreError::io(dir))?;
        let mut store = Self::connect_to_write(dir)?;
        store.conn.pragma_update(None, "page_size", 8192)?;
        store.conn.pragma_update(None, "journal_mode", "wal")?;
        store.conn.pragma_update(None, "synchronous", "normal")?;
        store.migrate()?;
        Ok(store)
    }

    /// Whether there is a store in `dir`.
    pub fn exists(dir: &Path) -> bool {
        database(dir).exists()
    }

    /// Whether no record is in it: nothing that was fetched, observed or kept. That an upstream
    /// is declared is no record.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn holds_nothing(&self) -> Result<bool, StoreError> {
        let mut query = self.conn.prepare(
            // Without what a full-text table keeps for itself.
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
             AND name NOT LIKE 'sqlite_%' AND name NOT IN ('upstream', 'repository_name')",
        )?;
        let tables = query.query_map([], |row| row.get::<_, String>(0))?;
        for table in tables.collect::<Result<Vec<_>, _>>()? {
            // The names are those of our own schema.
            let any = format!("SELECT EXISTS (SELECT 1 FROM \"{table}\")");
            if self.conn.query_row(&any, [], |row| row.get::<_, bool>(0))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Opens the store in `dir` to answer questions; where it may not be written, to read it.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where there is none, and those of [`Store::open_read_only`]
    /// where it may not be written.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        is_there(dir)?;
        let mut store = Self::connect(dir)?;
        if store.is_read_only() {
            return store.reads_schema();
        }
        store.migrate()?;
        Ok(store)
    }

    /// Opens the store in `dir` so that nothing can be written to its database.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where there is none, [`StoreError::Older`] and
    /// [`StoreError::Newer`] where its schema is another, [`StoreError::UnreadLog`] where a
    /// part of it cannot be read.
    pub fn open_read_only(dir: &Path) -> Result<Self, StoreError> {
        is_there(dir)?;
        Self::connect_to_read(dir)?.reads_schema()
    }

    fn around(dir: &Path, conn: Connection) -> Self {
        let (dir, progress) = (dir.to_owned(), Arc::new(Silent));
        Store { dir, conn, progress, held: None, access: Access::Write }
    }

    /// A second connection to the same store, for another thread.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn reopen(&self) -> Result<Self, StoreError> {
        let mut store = match self.is_read_only() {
            true => Self::open_read_only(&self.dir)?,
            false => Self::open(&self.dir)?,
        };
        store.watch(&self.progress)?;
        store.held.clone_from(&self.held);
        Ok(store)
    }

    /// Has `progress` look on at what is asked from here on: it is told of long readings,
    /// and ends them when nobody waits for them. Connections to other threads, and readers
    /// of objects, have the same looking on.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn watch(&mut self, progress: &Arc<dyn Progress>) -> Result<(), StoreError> {
        self.progress = Arc::clone(progress);
        let asked = Arc::clone(progress);
        self.conn.progress_handler(STEPS, Some(move || !asked.is_wanted()))?;
        Ok(())
    }

    /// Begins a stage of a reading, and ends the reading where nobody waits for it.
    pub(crate) fn stage(&self, name: &str, total: usize) -> Result<Box<dyn Stage>, StoreError> {
        self.go_on()?;
        Ok(self.progress.stage(name, Some(total as u64)))
    }

    /// # Errors
    /// [`StoreError::GivenUp`] where nobody waits for the answer.
    pub(crate) fn go_on(&self) -> Result<(), StoreError> {
        match self.progress.is_wanted() {
            true => Ok(()),
            false => Err(StoreError::GivenUp),
        }
    }

    /// The schema's number, if this headwater knows it.
    fn schema(&self) -> Result<u32, StoreError> {
        let known = known_schema();
        let found = self.conn.pragma_query_value(None, "user_version", |row| row.get(0));
        let found: u32 = found.map_err(|error| match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase) => StoreError::NoDatabase(self.dir.clone()),
            _ => error.into(),
        })?;
        match found > known {
            true => Err(StoreError::Newer { path: self.dir.clone(), found, known }),
            false => Ok(found),
        }
    }

    fn migrate(&mut self) -> Result<(), StoreError> {
        let found = self.schema()?;
        for (at, sql) in MIGRATIONS.iter().enumerate().skip(found as usize) {
            // Immediate, and asked again inside: another process may be migrating too.
            let tx =
                self.conn.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let now: usize = tx.pragma_query_value(None, "user_version", |row| row.get(0))?;
            if now == at {
                tx.execute_batch(sql)?;
                tx.pragma_update(None, "user_version", at + 1)?;
            }
            tx.commit()?;
        }
        Ok(())
    }

    /// Reads from here on, until it is dropped, see the records as they are now, and take
    /// no lock each.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        Ok(Snapshot(self.conn.unchecked_transaction()?))
    }

    /// The store's directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The row of an upstream of which something is stored.
    ///
    /// # Errors
    /// [`StoreError::NotCrawled`] where nothing is.
    pub fn upstream(&self, name: &str) -> Result<UpstreamId, StoreError> {
        self.find_upstream(name)?.ok_or_else(|| StoreError::NotCrawled(name.to_owned()))
    }

    /// The row of an upstream, if anything of it is stored.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn find_upstream(&self, name: &str) -> Result<Option<UpstreamId>, StoreError> {
        let mut query = self.conn.prepare_cached("SELECT id FROM upstream WHERE name = ?1")?;
        Ok(query.query_row([name], |row| row.get(0).map(UpstreamId)).optional()?)
    }

    /// The names of the upstreams of which something is stored.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn upstream_names(&self) -> Result<Vec<(UpstreamId, String)>, StoreError> {
        let mut query = self
            .conn
            .prepare_cached("SELECT id, name FROM upstream WHERE name <> ?1 ORDER BY id")?;
        let rows = query.query_map([MODELS], |row| Ok((UpstreamId(row.get(0)?), row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The name of the upstream in this row.
    ///
    /// # Errors
    /// Where there is none.
    pub fn upstream_name(&self, id: UpstreamId) -> Result<Arc<str>, StoreError> {
        let mut query = self.conn.prepare_cached("SELECT name FROM upstream WHERE id = ?1")?;
        Ok(query.query_row([id.0], |row| row.get::<_, String>(0))?.into())
    }

    /// Where the object store of an upstream lies, whether or not it exists.
    pub fn objects_dir(&self, upstream: &str) -> PathBuf {
        self.dir.join(Self::OBJECTS).join(format!("{upstream}.git"))
    }

    /// The object store of an upstream.
    ///
    /// # Errors
    /// Where there is none yet.
    pub fn objects(&self, upstream: &str) -> Result<ObjectStore, StoreError> {
        let objects = ObjectStore::open(&self.objects_dir(upstream), upstream)?;
        Ok(objects.watched(&self.progress).sharing(self.pool(upstream)))
    }
}

fn known_schema() -> u32 {
    u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX)
}

/// Who may not look into the directory is told that, and not that nothing is there.
fn is_there(dir: &Path) -> Result<(), StoreError> {
    match database(dir).try_exists() {
        Ok(true) => Ok(()),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            Err(StoreError::io(dir)(error))
        }
        Ok(false) | Err(_) => Err(StoreError::Missing(dir.to_owned())),
    }
}

fn database(dir: &Path) -> PathBuf {
    dir.join(Store::DATABASE)
}

pub(crate) fn time(seconds: i64) -> chrono::DateTime<chrono::Utc> {
    chrono::DateTime::from_timestamp(seconds, 0).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nobody waits.
    struct Left;

    impl Progress for Left {
        fn stage(&self, name: &str, total: Option<u64>) -> Box<dyn Stage> {
            Silent.stage(name, total)
        }

        fn is_wanted(&self) -> bool {
            false
        }
    }

    #[test]
    fn what_nobody_waits_for_ends() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open_or_create(dir.path()).unwrap();
        let left: Arc<dyn Progress> = Arc::new(Left);
        store.watch(&left).unwrap();
        let for_ever = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
            SELECT count(*) FROM n";
        for store in [store.reopen().unwrap(), store] {
            let answer = store.conn.query_row(for_ever, [], |row| row.get::<_, i64>(0));
            assert!(matches!(answer.map_err(StoreError::from), Err(StoreError::GivenUp)));
            assert!(matches!(store.stage("patches", 1), Err(StoreError::GivenUp)));
        }
    }

    #[test]
    fn what_is_no_database_is_told_as_that() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(database(dir.path()), "no database, but long enough ".repeat(100)).unwrap();
        for opened in [
            Store::open(dir.path()),
            Store::open_read_only(dir.path()),
            Store::open_or_create(dir.path()),
        ] {
            assert!(matches!(opened, Err(StoreError::NoDatabase(_))));
        }
    }

    #[test]
    fn a_newer_store_is_refused_with_what_to_do() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(dir.path()).unwrap();
        store.conn.pragma_update(None, "user_version", 9999).unwrap();
        drop(store);
        let error = Store::open(dir.path()).err().unwrap().to_string();
        assert!(error.contains("9999") && error.contains("newer headwater"), "{error}");
    }

    #[test]
    fn migrates_from_every_former_version() {
        for version in 0..=MIGRATIONS.len() {
            let dir = tempfile::tempdir().unwrap();
            let conn = Connection::open(database(dir.path())).unwrap();
            for sql in &MIGRATIONS[..version] {
                conn.execute_batch(sql).unwrap();
            }
            conn.pragma_update(None, "user_version", version).unwrap();
            drop(conn);
            let store = Store::open(dir.path()).unwrap();
            let tables: i64 = store
                .conn
                .query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'place'", [], |r| {
                    r.get(0)
                })
                .unwrap();
            assert_eq!(tables, 1);
        }
    }

    #[test]
    fn opened_to_read_only_nothing_is_written() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(Store::open_read_only(dir.path()), Err(StoreError::Missing(_))));
        let made = Store::open_or_create(dir.path()).unwrap();
        let store = Store::open_read_only(dir.path()).unwrap();
        let error = store.conn.execute("DELETE FROM upstream", []).unwrap_err();
        assert!(error.to_string().contains("readonly"), "{error}");
        made.conn.pragma_update(None, "user_version", 1).unwrap();
        assert!(matches!(Store::open_read_only(dir.path()), Err(StoreError::Older { .. })));
    }

    #[test]
    fn no_store_is_told() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(Store::open(dir.path()), Err(StoreError::Missing(_))));
    }
}
