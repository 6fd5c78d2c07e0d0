//! Reports that were kept: as they were told, and what became of their claims since.

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension as _, Row, params};
use serde_json::Value;

use super::{Store, time};
use crate::{Digest, StoreError};

/// A report to be kept.
#[derive(Debug, Clone)]
pub struct NewReport<'a> {
    /// The name that it is asked for by.
    pub name: &'a str,
    /// When it is kept.
    pub saved: DateTime<Utc>,
    /// What was asked.
    pub question: &'a Value,
    /// The hash of each rule set that it was made by.
    pub rules: &'a Value,
    /// The version of headwater that made it.
    pub version: &'a str,
    /// What it says, by format: `json`, `table`, `md`, `html`; and its `receipts`.
    pub texts: &'a [(&'a str, String)],
}

/// A report that was kept.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedReport {
    id: i64,
    /// Its name.
    pub name: String,
    /// When it was kept.
    pub saved: DateTime<Utc>,
    /// What was asked.
    pub question: Value,
    /// The hash of each rule set that it was made by.
    pub rules: Value,
    /// The version of headwater that made it.
    pub version: String,
}

/// What became of a report's claims when they were derived anew.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportCheck {
    /// When.
    pub checked: DateTime<Utc>,
    /// The rule sets of then.
    pub rules: Value,
    /// Claims with what became of each.
    pub result: Value,
}

impl Store {
    /// Keeps a report. `false` where one of that name is kept already, which stays.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add_report(&mut self, new: &NewReport<'_>) -> Result<bool, StoreError> {
        let tx = self.conn.transaction()?;
        let added = tx.execute(
            "INSERT OR IGNORE INTO saved_report (name, saved, question, rules, version)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                new.name,
                new.saved.timestamp(),
                new.question.to_string(),
                new.rules.to_string(),
                new.version
            ],
        )?;
        if added == 0 {
            return Ok(false);
        }
        let id = tx.last_insert_rowid();
        for (format, text) in new.texts {
            let packed =
                zstd::bulk::compress(text.as_bytes(), 6).map_err(StoreError::io("a report"))?;
            tx.execute(
                "INSERT INTO saved_text (report_id, format, sha256, bytes, content)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
                params![
                    id,
                    format,
                    Digest::of(text.as_bytes()),
                    i64::try_from(text.len()).unwrap_or(i64::MAX),
                    packed
                ],
            )?;
        }
        tx.commit()?;
        Ok(true)
    }

    /// The kept reports, oldest first.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn reports(&self) -> Result<Vec<SavedReport>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT id, name, saved, question, rules, version FROM saved_report ORDER BY id",
        )?;
        let mut rows = query.query([])?;
        let mut out = Vec::new();
        while let Some(row) = rows.next()? {
            out.push(report(row)?);
        }
        Ok(out)
    }

    /// What a kept report says in a format, and the sha256 of it.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] where what is stored has another sha256.
    pub fn report_text(
        &self,
        report: &SavedReport,
        format: &str,
    ) -> Result<Option<(String, Digest)>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT sha256, bytes, content FROM saved_text WHERE report_id = ?1 AND format = ?2",
        )?;
        let row: Option<(Digest, i64, Vec<u8>)> = query
            .query_row(params![report.id, format], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .optional()?;
        let Some((digest, size, packed)) = row else { return Ok(None) };
        let damaged =
            || StoreError::Damaged(format!("the report {:?} is not what it was", report.name));
        let size = usize::try_from(size).map_err(|_| damaged())?;
        let bytes = zstd::bulk::decompress(&packed, size).map_err(|_| damaged())?;
        if Digest::of(&bytes) != digest {
            return Err(damaged());
        }
        Ok(Some((String::from_utf8(bytes).map_err(|_| damaged())?, digest)))
    }

    /// Keeps what became of a report's claims.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add_report_check(
        &self,
        report: &SavedReport,
        check: &ReportCheck,
    ) -> Result<(), StoreError> {
        self.conn.execute(
            "INSERT INTO report_check (report_id, checked, rules, result) VALUES (?1, ?2, ?3, ?4)",
            params![
                report.id,
                check.checked.timestamp(),
                check.rules.to_string(),
                check.result.to_string()
            ],
        )?;
        Ok(())
    }

    /// What became of a report's claims, each time they were derived anew, oldest first.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn report_checks(&self, report: &SavedReport) -> Result<Vec<ReportCheck>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT checked, rules, result FROM report_check WHERE report_id = ?1 ORDER BY id",
        )?;
        let mut rows = query.query([report.id])?;
        let mut out = Vec::new();
        while let Some(row) = rows.next()? {
            out.push(ReportCheck {
                checked: time(row.get(0)?),
                rules: json(&row.get::<_, String>(1)?)?,
                result: json(&row.get::<_, String>(2)?)?,
            });
        }
        Ok(out)
    }
}

fn report(row: &Row<'_>) -> Result<SavedReport, StoreError> {
    Ok(SavedReport {
        id: row.get(0)?,
        name: row.get(1)?,
        saved: time(row.get(2)?),
        question: json(&row.get::<_, String>(3)?)?,
        rules: json(&row.get::<_, String>(4)?)?,
        version: row.get(5)?,
    })
}

fn json(text: &str) -> Result<Value, StoreError> {
    serde_json::from_str(text)
        .map_err(|error| StoreError::Damaged(format!("a kept report: {error}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_kept_report_stays_what_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open_or_create(dir.path()).unwrap();
        let texts = [("json", "{}".to_owned()), ("md", "# R\n".to_owned())];
        let new = NewReport {
            name: "r",
            saved: time(1_700_000_000),
            question: &json!({"upstream": "ollama"}),
            rules: &json!({"labels": "ab"}),
            version: "0.1.0",
            texts: &texts,
        };
        assert!(store.add_report(&new).unwrap());
        // A name is taken once: what was told then must stay visible.
        let other = [("json", "[]".to_owned())];
        assert!(!store.add_report(&NewReport { texts: &other, ..new.clone() }).unwrap());
        let all = store.reports().unwrap();
        let [report] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!(report.question["upstream"], "ollama");
        let (text, digest) = store.report_text(report, "json").unwrap().unwrap();
        assert_eq!((text.as_str(), digest), ("{}", Digest::of(b"{}")));
        assert_eq!(store.report_text(report, "html").unwrap(), None);
        let check = ReportCheck {
            checked: time(1_700_000_100),
            rules: json!({}),
            result: json!([{"now": "holds"}]),
        };
        store.add_report_check(report, &check).unwrap();
        assert_eq!(store.report_checks(report).unwrap(), [check]);
        store.conn.execute("UPDATE saved_text SET bytes = 1", []).unwrap();
        assert!(matches!(store.report_text(report, "json"), Err(StoreError::Damaged(_))));
    }
}
