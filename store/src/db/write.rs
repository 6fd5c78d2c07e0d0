//! What a crawl writes: one transaction a batch of commits.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension as _, Transaction, TransactionBehavior, params};

use super::{CommitId, Store, UpstreamId};
use crate::model::{Commit, FileChange, Person, TagObservation};
use crate::{Oid, StoreError};

/// A commit as a crawl brings it, its patch texts already compressed.
#[derive(Debug, Clone)]
pub struct NewCommit {
    /// The commit.
    pub commit: Commit,
    /// Its patch-id, where it has one.
    pub patch_id: Option<Oid>,
    /// Its changes against the first parent.
    pub files: Vec<NewChange>,
    /// Whether it came without the bytes that its id is made of.
    pub unproven: bool,
}

/// A change, its hunks compressed.
#[derive(Debug, Clone)]
pub struct NewChange {
    /// The change; its own `hunks` are not looked at.
    pub change: FileChange,
    /// The hunks' length in bytes, and the hunks compressed with zstd.
    pub hunks: Option<(usize, Vec<u8>)>,
    /// Of a merge: the text was not read, and is not missing either.
    pub deferred: bool,
}

pub(crate) const BINARY: i64 = 1;
pub(crate) const MISSING: i64 = 2;
pub(crate) const DEFERRED: i64 = 4;

/// A transaction that writes records. What is not [committed](Writer::commit) is lost.
pub struct Writer<'a> {
    pub(super) tx: Transaction<'a>,
    pub(super) upstream: UpstreamId,
    pub(super) receipt: i64,
    pub(super) now: DateTime<Utc>,
    caches: &'a mut WriteCaches,
}

/// Row ids that a crawl meets again and again.
#[derive(Debug, Default)]
pub struct WriteCaches {
    people: HashMap<(String, String), i64>,
    paths: HashMap<String, i64>,
}

impl Store {
    /// The row of an upstream, made where there is none.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn ensure_upstream(&self, name: &str) -> Result<UpstreamId, StoreError> {
        self.conn.execute("INSERT OR IGNORE INTO upstream (name) VALUES (?1)", [name])?;
        self.upstream(name)
    }

    /// Starts a transaction for records that stand under the receipt `receipt`.
    ///
    /// # Errors
    /// Those of SQLite; another writer is waited for ten seconds.
    pub fn writer<'a>(
        &'a mut self,
        upstream: UpstreamId,
        receipt: i64,
        caches: &'a mut WriteCaches,
    ) -> Result<Writer<'a>, StoreError> {
        let tx = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        Ok(Writer { tx, upstream, receipt, now: Utc::now(), caches })
    }

    /// Takes the log's pages into the database, so that the next reader need not.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn checkpoint(&self) -> Result<(), StoreError> {
        self.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        Ok(())
    }
}

impl Writer<'_> {
    /// Stores one commit with its changes and gaps; one that is stored already is left
    /// as it is.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add_commit(&mut self, new: &NewCommit) -> Result<(), StoreError> {
        let author = self.person(&new.commit.author)?;
        let committer = self.person(&new.commit.committer)?;
        let commit = &new.commit;
        let parents: Vec<u8> = commit.parents.iter().flat_map(|p| *p.as_bytes()).collect();
        let inserted = self
            .tx
            .prepare_cached(
                "INSERT OR IGNORE INTO commit_record (upstream_id, oid, tree, parents, author_id, authored,
                 committer_id, committed, message, pull_request, patch_id, receipt_id)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?
            .execute(params![
                self.upstream.0,
                commit.oid,
                commit.tree,
                parents,
                author,
                commit.authored.timestamp(),
                committer,
                commit.committed.timestamp(),
                commit.message,
                commit.pull_request(),
                new.patch_id,
                self.receipt,
            ])?;
        if inserted == 0 {
            return Ok(());
        }
        let commit_id = CommitId(self.tx.last_insert_rowid());
        if new.unproven {
            self.add_gap(
                "unproven-commit",
                Some(commit_id),
                None,
                None,
                "its id could not be made again from what the host tells of it",
            )?;
        }
        for file in &new.files {
            self.add_change(commit_id, file)?;
        }
        Ok(())
    }

    fn add_change(&mut self, commit: CommitId, file: &NewChange) -> Result<(), StoreError> {
        let change = &file.change;
        let path = self.path(&change.path)?;
        let old_path = change.old_path.as_deref().map(|p| self.path(p)).transpose()?;
        let flags = i64::from(change.binary) * BINARY
            + i64::from(change.gap) * MISSING
            + i64::from(file.deferred) * DEFERRED;
        self.tx
            .prepare_cached(
                "INSERT INTO file_change (commit_id, path_id, old_path_id, status, old_mode, new_mode,
                 old_blob, new_blob, added, deleted, flags)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            )?
            .execute(params![
                commit.0,
                path,
                old_path,
                change.status.letter(),
                change.old_mode,
                change.new_mode,
                change.old_blob,
                change.new_blob,
                change.added,
                change.deleted,
                flags,
            ])?;
        let id = self.tx.last_insert_rowid();
        if let Some((bytes, hunks)) = &file.hunks {
            self.tx
                .prepare_cached("INSERT INTO patch (change_id, bytes, hunks) VALUES (?1, ?2, ?3)")?
                .execute(params![id, i64::try_from(*bytes).unwrap_or(i64::MAX), hunks])?;
        }
        if change.gap {
            self.add_gap(
                "missing-blob",
                Some(commit),
                Some(&change.path),
                None,
                "the repository that was read lacks a blob of this change",
            )?;
        }
        Ok(())
    }

    /// Records something that could not be had.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add_gap(
        &mut self,
        kind: &str,
        commit: Option<CommitId>,
        path: Option<&str>,
        object: Option<Oid>,
        detail: &str,
    ) -> Result<(), StoreError> {
        self.tx
            .prepare_cached(
                "INSERT INTO gap (upstream_id, kind, commit_id, path, object, detail, seen)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![
                self.upstream.0,
                kind,
                commit.map(|c| c.0),
                path,
                object,
                detail,
                self.now.timestamp()
            ])?;
        Ok(())
    }

    /// Records a look at a tag.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add_tag(&mut self, seen: &TagObservation) -> Result<(), StoreError> {
        let tag = seen.tag.as_ref();
        self.add_ref(
            &format!("refs/tags/{}", seen.name),
            tag.map(|t| t.commit),
            tag.and_then(|t| t.object),
            seen.observed,
        )
    }

    /// Records a look at a branch.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add_branch(
        &mut self,
        name: &str,
        head: Oid,
        observed: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.add_ref(&format!("refs/heads/{name}"), Some(head), None, observed)
    }

    fn add_ref(
        &mut self,
        name: &str,
        target: Option<Oid>,
        object: Option<Oid>,
        observed: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.tx
            .prepare_cached(
                "INSERT INTO ref_seen (upstream_id, name, target, object, observed, receipt_id)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                self.upstream.0,
                name,
                target,
                object,
                observed.timestamp(),
                self.receipt
            ])?;
        Ok(())
    }

    /// Makes everything written so far durable.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn commit(self) -> Result<(), StoreError> {
        self.tx.commit()?;
        Ok(())
    }

    fn person(&mut self, person: &Person) -> Result<i64, StoreError> {
        let key = (person.name.clone(), person.email.clone());
        if let Some(id) = self.caches.people.get(&key) {
            return Ok(*id);
        }
        self.tx
            .prepare_cached("INSERT OR IGNORE INTO person (name, email) VALUES (?1, ?2)")?
            .execute(params![key.0, key.1])?;
        let id = self
            .tx
            .prepare_cached("SELECT id FROM person WHERE name = ?1 AND email = ?2")?
            .query_row(params![key.0, key.1], |row| row.get(0))?;
        self.caches.people.insert(key, id);
        Ok(id)
    }

    fn path(&mut self, path: &str) -> Result<i64, StoreError> {
        if let Some(id) = self.caches.paths.get(path) {
            return Ok(*id);
        }
        let known = self
            .tx
            .prepare_cached("SELECT id FROM path WHERE path = ?1")?
            .query_row([path], |row| row.get(0))
            .optional()?;
        let id = match known {
            Some(id) => id,
            None => {
                self.tx.prepare_cached("INSERT INTO path (path) VALUES (?1)")?.execute([path])?;
                self.tx.last_insert_rowid()
            }
        };
        self.caches.paths.insert(path.to_owned(), id);
        Ok(id)
    }
}
