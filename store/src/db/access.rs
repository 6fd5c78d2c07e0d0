//! How the database may be opened: to write, to read, or only as it lies.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::{Store, known_schema};
use crate::StoreError;

/// What may be done with an open store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Access {
    /// Read and written.
    Write,
    /// Read, beside others who may write.
    Read,
    /// Read as it lay when it was opened: SQLite can keep no lock beside it, so that nothing
    /// tells of others who write.
    AsItLies(Lying),
}

/// The database's file as it lay, and whether a log with records lay beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lying {
    dir: PathBuf,
    file: Option<(SystemTime, u64)>,
    has_log: bool,
}

impl Lying {
    fn of(dir: &Path) -> Self {
        let facts = std::fs::metadata(dir.join(Store::DATABASE)).ok();
        let file = facts.and_then(|facts| Some((facts.modified().ok()?, facts.len())));
        let has_log = std::fs::metadata(log(dir)).is_ok_and(|log| log.len() > 0);
        Lying { dir: dir.to_owned(), file, has_log }
    }

    /// Whether nobody has written to the database since.
    pub fn still(&self) -> bool {
        *self == Self::of(&self.dir)
    }
}

impl Store {
    /// The database in `dir`, to write where that may be done, else to read.
    pub(super) fn connect(dir: &Path) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        match Self::connect_with(dir, flags) {
            Err(error) if refused(&error).is_some() => Self::connect_to_read(dir),
            // SQLite takes what it may not write as something to be read.
            Ok(store) if store.conn.is_readonly(rusqlite::MAIN_DB)? => Self::connect_to_read(dir),
            other => other,
        }
    }

    /// The database in `dir`, to write, made where there is none.
    pub(super) fn connect_to_write(dir: &Path) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        match Self::connect_with(dir, flags) {
            Err(error) if refused(&error).is_some() => Err(StoreError::Unwritable),
            Ok(store) if store.conn.is_readonly(rusqlite::MAIN_DB)? => Err(StoreError::Unwritable),
            other => other,
        }
    }

    /// The database in `dir`, to read: beside others who may write, where SQLite can keep a
    /// lock with them, else as it lies.
    pub(super) fn connect_to_read(dir: &Path) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Self::connect_with(dir, flags);
        let Some(why) = opened.as_ref().err().and_then(refused) else {
            return opened.map(|store| Store { access: Access::Read, ..store });
        };
        // Who may not read the file at all is told that.
        let file = dir.join(Self::DATABASE);
        std::fs::File::open(&file).map_err(StoreError::io(&file))?;
        let lying = Lying::of(dir);
        if lying.has_log {
            return Err(StoreError::UnreadLog { path: dir.to_owned(), why });
        }
        let flags = flags | OpenFlags::SQLITE_OPEN_URI;
        let store = Self::prepared(dir, Connection::open_with_flags(as_it_lies(&file), flags)?)?;
        Ok(Store { access: Access::AsItLies(lying), ..store })
    }

    fn connect_with(dir: &Path, flags: OpenFlags) -> Result<Self, StoreError> {
        Self::prepared(dir, Connection::open_with_flags(dir.join(Self::DATABASE), flags)?)
    }

    fn prepared(dir: &Path, conn: Connection) -> Result<Self, StoreError> {
        conn.busy_timeout(Duration::from_secs(10))?;
        let store = Store::around(dir, conn);
        // What is no store is told before anything of it is set.
        store.schema()?;
        let conn = &store.conn;
        conn.pragma_update(None, "foreign_keys", "off")?;
        conn.pragma_update(None, "mmap_size", 1_i64 << 30)?;
        conn.pragma_update(None, "cache_size", -65_536)?;
        conn.pragma_update(None, "temp_store", "memory")?;
        // A plan does not depend on what is bound to it: without statistics SQLite only
        // prepares every statement anew for each value.
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        conn.set_prepared_statement_cache_capacity(64);
        Ok(store)
    }

    /// That the schema is the one that this headwater reads.
    pub(super) fn reads_schema(self) -> Result<Self, StoreError> {
        match self.schema()? < known_schema() {
            true => Err(StoreError::Older { path: self.dir.clone() }),
            false => Ok(self),
        }
    }

    /// Whether nothing can be written to its database.
    pub fn is_read_only(&self) -> bool {
        self.access != Access::Write
    }

    /// Where it is read as it lay when it was opened, without a lock: what to ask whether
    /// others have written since.
    pub fn lying(&self) -> Option<&Lying> {
        match &self.access {
            Access::AsItLies(lying) => Some(lying),
            Access::Write | Access::Read => None,
        }
    }

    /// Asked before what would write, so that nothing is begun in vain.
    ///
    /// # Errors
    /// [`StoreError::Unwritable`] where nothing can be written.
    pub fn writes(&self) -> Result<(), StoreError> {
        match self.is_read_only() {
            true => Err(StoreError::Unwritable),
            false => Ok(()),
        }
    }

    /// Asked before something is derived, which can take long.
    ///
    /// # Errors
    /// [`StoreError::Stale`] where nothing can be written.
    pub fn derives(&self) -> Result<(), StoreError> {
        self.writes().map_err(|_| StoreError::Stale)
    }
}

/// The log that SQLite keeps beside the database.
fn log(dir: &Path) -> PathBuf {
    dir.join(format!("{}-wal", Store::DATABASE))
}

/// What SQLite said, where it could not open or write what it needs beside the database.
fn refused(error: &StoreError) -> Option<String> {
    match error {
        StoreError::Sqlite(error) if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) => {
            Some(error.to_string())
        }
        StoreError::Unwritable => Some("its log's index is not there".to_owned()),
        _ => None,
    }
}

/// The address by which SQLite reads a file that nobody changes.
fn as_it_lies(file: &Path) -> String {
    let mut address = "file:".to_owned();
    // A path with a drive is written after a slash.
    if cfg!(windows) {
        address.push('/');
    }
    for &byte in file.as_os_str().as_encoded_bytes() {
        match byte {
            b'\\' if cfg!(windows) => address.push('/'),
            b'/' | b'.' | b'-' | b'_' | b':' => address.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => address.push(char::from(byte)),
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address + "?immutable=1"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_holds_nothing_that_sqlite_reads_as_something_else() {
        let address = as_it_lies(Path::new("/a b/ä?x#y%z/headwater.db"));
        assert_eq!(address, "file:/a%20b/%C3%A4%3Fx%23y%25z/headwater.db?immutable=1");
    }

    #[test]
    fn what_is_read_as_it_lies_tells_when_somebody_wrote() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().join("why not? 100%#");
        let made = Store::open_or_create(&dir).unwrap();
        made.ensure_upstream("u").unwrap();
        made.checkpoint().unwrap();
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let address = as_it_lies(&dir.join(Store::DATABASE));
        let conn = Connection::open_with_flags(address, flags).unwrap();
        let store = Store::prepared(&dir, conn).unwrap();
        let store = Store { access: Access::AsItLies(Lying::of(&dir)), ..store };
        assert!(store.find_upstream("u").unwrap().is_some());
        assert!(store.is_read_only() && store.lying().unwrap().still());
        assert!(matches!(store.derives(), Err(StoreError::Stale)));
        assert!(matches!(store.ensure_upstream("v"), Err(StoreError::Unwritable)));
        made.ensure_upstream("v").unwrap();
        assert!(!store.lying().unwrap().still());
    }

    #[test]
    fn the_state_of_an_index_is_told_without_writing() {
        let dir = tempfile::tempdir().unwrap();
        drop(Store::open_or_create(dir.path()).unwrap());
        let store = Store::open_read_only(dir.path()).unwrap();
        assert_eq!(store.exact_state().unwrap(), super::super::IndexState::Missing);
        assert_eq!(store.search_state().unwrap(), super::super::IndexState::Missing);
        assert!(matches!(store.exact(1), Err(StoreError::Stale)));
        assert!(matches!(store.rebuild_exact(1), Err(StoreError::Unwritable)));
    }
}
