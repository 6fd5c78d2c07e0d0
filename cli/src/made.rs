//! The store that a command made: where nothing came into it, it is not left behind, so that
//! the next question says that there is none.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anyhow::Context as _;
use headwater_store::Store;

/// What is known of it, once it is made.
#[derive(Debug, Clone, Default)]
pub struct Made(Arc<OnceLock<Place>>);

/// Where a store was made.
#[derive(Debug)]
struct Place {
    dir: PathBuf,
    /// What lay in the directory before; none where that was not there either.
    before: Option<HashSet<OsString>>,
}

impl Made {
    /// To be told before a store is opened that may not be there.
    pub fn before(&self, dir: &Path) -> anyhow::Result<()> {
        if !Store::exists(dir) {
            // Only the first counts: what comes after it finds a store.
            let _ = self.0.set(Place { dir: dir.to_owned(), before: names(dir)? });
        }
        Ok(())
    }

    /// Takes the store away, where it was made and holds nothing.
    pub fn tidy(&self) -> anyhow::Result<()> {
        let Some(Place { dir, before }) = self.0.get() else { return Ok(()) };
        if !Store::exists(dir) || !Store::open(dir)?.holds_nothing()? {
            return Ok(());
        }
        let Some(before) = before else { return Ok(std::fs::remove_dir_all(dir)?) };
        // What lay there is the user's, whatever its name.
        for name in names(dir)?.unwrap_or_default().difference(before) {
            let path = dir.join(name);
            if name == Store::OBJECTS {
                std::fs::remove_dir_all(&path)?;
            } else if name.to_string_lossy().starts_with(Store::DATABASE) {
                std::fs::remove_file(&path)?;
            }
        }
        Ok(())
    }
}

/// The names in a directory; none where there is no directory.
fn names(dir: &Path) -> anyhow::Result<Option<HashSet<OsString>>> {
    let told = || format!("cannot read {}", dir.display());
    match std::fs::read_dir(dir) {
        Ok(entries) => {
            let names: std::io::Result<_> = entries.map(|entry| Ok(entry?.file_name())).collect();
            Ok(Some(names.with_context(told)?))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(told),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(dir: &Path) -> Made {
        let made = Made::default();
        made.before(dir).unwrap();
        drop(Store::open_or_create(dir).unwrap());
        made
    }

    #[test]
    fn an_empty_store_goes_and_nothing_of_the_users() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("new");
        made(&dir).tidy().unwrap();
        assert!(!dir.exists());
        // A directory that was there stays, with what lay in it.
        let dir = place.path().join("theirs");
        std::fs::create_dir_all(dir.join("objects/pack")).unwrap();
        made(&dir).tidy().unwrap();
        assert!(dir.join("objects/pack").exists() && !Store::exists(&dir));
        // As does a store that was there, even an empty one.
        drop(Store::open_or_create(&dir).unwrap());
        made(&dir).tidy().unwrap();
        assert!(Store::exists(&dir));
    }
}
