//! The object store of an upstream: a bare git repository beside the database, with
//! objects of its own or borrowed from the user's clone.

mod diff;
mod pool;
mod reader;
mod tree;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::git;
use crate::progress::{Progress, Silent};
use crate::{Oid, StoreError};

pub use diff::{FileDiff, align};
pub(crate) use pool::Pool;
pub use reader::ObjectReader;
pub use tree::TreeEntry;

/// A file that lies in an object store which holds all of history itself.
const WHOLE: &str = "headwater-whole";

/// A bare repository that headwater owns. A clone that it borrows from is never
/// written to.
#[derive(Clone)]
pub struct ObjectStore {
    dir: PathBuf,
    upstream: String,
    progress: Arc<dyn Progress>,
    pool: Option<Arc<Pool>>,
}

impl ObjectStore {
    /// Opens the object store in `dir`.
    ///
    /// # Errors
    /// [`StoreError::NotCrawled`] where there is none.
    pub fn open(dir: &Path, upstream: &str) -> Result<Self, StoreError> {
        if !dir.join("HEAD").exists() {
            return Err(StoreError::NotCrawled(upstream.to_owned()));
        }
        let (dir, upstream) = (dir.to_owned(), upstream.to_owned());
        Ok(ObjectStore { dir, upstream, progress: Arc::new(Silent), pool: None })
    }

    /// Opens the object store in `dir`, and makes an empty one where there is none.
    ///
    /// # Errors
    /// Where git cannot make it.
    pub fn open_or_create(dir: &Path, upstream: &str) -> Result<Self, StoreError> {
        if !dir.join("HEAD").exists() {
            // What was killed while it made this one left its locks there, and perhaps a
            // git that still goes on for a moment.
            let mut tries = 0;
            while dir.exists() {
                match std::fs::remove_dir_all(dir) {
                    Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty && tries < 50 => {
                        tries += 1;
                        std::thread::sleep(Duration::from_millis(20));
                    }
                    Err(error) if error.kind() != ErrorKind::NotFound => {
                        return Err(StoreError::io(dir)(error));
                    }
                    _ => break,
                }
            }
            std::fs::create_dir_all(dir).map_err(StoreError::io(dir))?;
            git::output(dir, &["init", "--quiet", "--bare"])?;
        }
        Self::open(dir, upstream)
    }

    /// The repository's directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The directory of objects that this one borrows from, if it does.
    pub fn borrows_from(&self) -> Option<PathBuf> {
        let text = std::fs::read_to_string(self.alternates()).ok()?;
        text.lines().next().map(PathBuf::from)
    }

    fn alternates(&self) -> PathBuf {
        self.dir.join("objects").join("info").join("alternates")
    }

    /// Borrows the objects of a clone: `objects` is its directory of objects.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn borrow_from(&self, objects: &Path) -> Result<(), StoreError> {
        if self.borrows_from().as_deref() == Some(objects) {
            return Ok(());
        }
        let file = self.alternates();
        let info = file.parent().unwrap_or(&self.dir);
        std::fs::create_dir_all(info).map_err(StoreError::io(info))?;
        std::fs::write(&file, format!("{}\n", objects.display())).map_err(StoreError::io(&file))
    }

    /// Whether all of history is in its own objects, as `headwater clone` brings it.
    pub fn is_whole(&self) -> bool {
        self.dir.join(WHOLE).exists()
    }

    /// Notes that all of history is in its own objects.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn mark_whole(&self) -> Result<(), StoreError> {
        let mark = self.dir.join(WHOLE);
        std::fs::write(&mark, "").map_err(StoreError::io(&mark))
    }

    /// Whether its history was cut somewhere.
    pub fn is_cut(&self) -> bool {
        self.dir.join("shallow").exists()
    }

    /// Whether the clone that it borrows from has gone, and where it was.
    pub fn lost_clone(&self) -> Option<PathBuf> {
        self.borrows_from().filter(|objects| !objects.exists())
    }

    /// The same, while somebody looks on: readings end when nobody waits for them.
    pub fn watched(mut self, progress: &Arc<dyn Progress>) -> Self {
        self.progress = Arc::clone(progress);
        self
    }

    /// The same, its readers sharing what others have read: for as long as nothing that it
    /// borrows from is another.
    pub(crate) fn sharing(mut self, pool: Option<Arc<Pool>>) -> Self {
        self.pool = pool;
        self
    }

    /// A reader of objects, which starts git when it is first asked for one.
    pub fn reader(&self) -> ObjectReader {
        ObjectReader::new(self)
    }

    pub(crate) fn no_object(&self, oid: Oid) -> StoreError {
        let why = self.lost_clone().map_or_else(String::new, |objects| {
            format!("; it borrowed from {}, which is gone", objects.display())
        });
        StoreError::NoObject { upstream: self.upstream.clone(), oid, why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_init_left_is_made_anew() {
        let dir = tempfile::tempdir().unwrap();
        let half = dir.path().join("u.git");
        std::fs::create_dir_all(half.join("objects")).unwrap();
        std::fs::write(half.join("config.lock"), "").unwrap();
        ObjectStore::open_or_create(&half, "u").unwrap();
        assert!(half.join("HEAD").exists() && !half.join("config.lock").exists());
    }
}
