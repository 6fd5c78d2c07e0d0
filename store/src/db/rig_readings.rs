//! Readings of rigs.

use rusqlite::params;

use super::Store;
use crate::StoreError;
use crate::evidence::{Grade, Method, Source};
use crate::rig::RigReading;

/// A reading that is stored. Only the store makes one, out of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredReading {
    id: i64,
    reading: RigReading,
}

impl StoredReading {
    /// The row's number, by which output names it.
    pub fn id(&self) -> i64 {
        self.id
    }

    /// What was read.
    pub fn reading(&self) -> &RigReading {
        &self.reading
    }

    /// How well what it shows is supported.
    pub fn grade(&self) -> Grade {
        Grade::of_presence(Source::Observation, Method::Reading)
    }
}

impl Store {
    /// Keeps a reading of a rig.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add_rig_reading(&self, rig: &str, reading: &RigReading) -> Result<i64, StoreError> {
        let found = serde_json::to_string(reading)
            .map_err(|error| StoreError::Damaged(error.to_string()))?;
        self.conn.execute(
            "INSERT INTO rig_reading (rig, taken, found) VALUES (?1, ?2, ?3)",
            params![rig, reading.taken.timestamp(), found],
        )?;
        Ok(self.conn.last_insert_rowid())
    }

    /// The readings of a rig, newest first, at most so many.
    ///
    /// # Errors
    /// Those of SQLite; [`StoreError::Damaged`] where a row cannot be read.
    pub fn rig_readings(&self, rig: &str, most: usize) -> Result<Vec<StoredReading>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT id, found FROM rig_reading WHERE rig = ?1 ORDER BY id DESC LIMIT ?2",
        )?;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let mut rows = query.query(params![rig, most])?;
        let mut out = Vec::new();
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            let reading = serde_json::from_str(&row.get::<_, String>(1)?)
                .map_err(|_| StoreError::Damaged(format!("reading {id} of a rig")))?;
            out.push(StoredReading { id, reading });
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Digest;
    use crate::db::time;
    use crate::rig::{Found, LibraryFolder, LibraryRead, ServerRead};

    #[test]
    fn a_reading_comes_back_as_it_was_kept() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(dir.path()).unwrap();
        let reading = RigReading {
            taken: time(1_700_000_000),
            platform: "linux".to_owned(),
            server: Found::Is(ServerRead { version: "0.32.13".to_owned() }),
            models: Found::Lacks("nobody asked".to_owned()),
            folders: vec![LibraryFolder {
                path: "/x".to_owned(),
                libraries: Found::Is(vec![LibraryRead {
                    place: "cuda_v13/libggml-cuda.so".to_owned(),
                    bytes: 1,
                    sha256: Digest::of(b"x"),
                    link: None,
                }]),
                unread: Vec::new(),
            }],
            scripts: Vec::new(),
            nvcc: Found::Lacks("none".to_owned()),
            gpus: Found::Is(Vec::new()),
            toolkit: Found::Lacks("none".to_owned()),
        };
        let later = RigReading { taken: time(1_700_000_001), ..reading.clone() };
        let first = store.add_rig_reading("studio", &reading).unwrap();
        store.add_rig_reading("studio", &later).unwrap();
        let all = store.rig_readings("studio", 9).unwrap();
        assert_eq!((all.len(), all[0].reading(), all[1].reading()), (2, &later, &reading));
        assert_eq!((all[1].id(), all[1].reading().libraries().count()), (first, 1));
        assert_eq!(store.rig_readings("studio", 1).unwrap().len(), 1);
        assert!(store.rig_readings("other", 9).unwrap().is_empty());
        store.conn.execute("UPDATE rig_reading SET found = '{}'", []).unwrap();
        assert!(matches!(store.rig_readings("studio", 9), Err(StoreError::Damaged(_))));
    }
}
