//! A store that is read as it lies, since nothing can be written beside it: what is told of
//! that.

use std::io::Write as _;
use std::sync::{Arc, OnceLock};

use anyhow::bail;
use headwater_store::{Lying, Store};

/// What is said of such a store.
const SO: &str = "the store cannot be written, nor a lock kept beside it: it is read as it lies, and what others write to it meanwhile is not seen";

/// What is said where it was written to all the same.
pub const CHANGED: &str = "the store was written to while it was read, so that the answer may be of two states of it; ask again";

/// How the store lay when it was opened first; nothing of one that is read with a lock.
#[derive(Debug, Clone, Default)]
pub struct AsItLies(Arc<OnceLock<Lying>>);

impl AsItLies {
    /// Notes how a store lies; whether it is the first of which that is noted.
    pub fn note(&self, store: &Store) -> bool {
        store.lying().is_some_and(|lying| self.0.set(lying.clone()).is_ok())
    }

    /// The same, told once.
    pub fn tell(&self, store: &Store) -> anyhow::Result<()> {
        if self.note(store) {
            writeln!(anstream::stderr(), "headwater: {SO}")?;
        }
        Ok(())
    }

    /// Tells where somebody wrote to it since.
    pub fn tell_changed(&self) -> anyhow::Result<()> {
        if let Err(error) = self.unchanged() {
            writeln!(anstream::stderr(), "headwater: {error}")?;
        }
        Ok(())
    }

    /// # Errors
    /// Where somebody wrote to it since.
    pub fn unchanged(&self) -> anyhow::Result<()> {
        match self.0.get().is_none_or(Lying::still) {
            true => Ok(()),
            false => bail!(CHANGED),
        }
    }
}

/// What `status` says of a store that cannot be written.
pub fn words(store: &Store) -> Option<&'static str> {
    match store.lying() {
        Some(_) => Some(SO),
        None => store.is_read_only().then_some("the store cannot be written: it is only read"),
    }
}
