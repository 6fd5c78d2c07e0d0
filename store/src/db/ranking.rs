//! What the ranking reads: features of commits, counts of terms, and who names whom.
//! Derived; this crate keeps the bytes and does not look into them.

use std::collections::HashMap;

use rusqlite::{OptionalExtension as _, Transaction, params};

use super::{CommitId, Store, UpstreamId};
use crate::{Oid, StoreError};

/// How many fields a commit's words stand in.
pub const FIELDS: usize = 6;

/// The derived rows of one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankingRow {
    /// The commit.
    pub commit: CommitId,
    /// Its features, encoded.
    pub features: Vec<u8>,
    /// The commits that its message names.
    pub names: Vec<NameRow>,
}

/// One commit that is named by another's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameRow {
    /// Its pull request.
    pub pull: Option<u32>,
    /// The first digits of its id, seven or more.
    pub sha: Option<String>,
    /// Why, as the ranking numbers it.
    pub kind: u8,
}

/// Counts to add to those of an upstream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TermCounts {
    /// Commits counted.
    pub commits: u64,
    /// The terms of each field in all of them.
    pub lens: [u64; FIELDS],
    /// For each term, in how many commits it stands in each field.
    pub terms: HashMap<u64, [u32; FIELDS]>,
}

const KIND: &str = "ranking";

impl Store {
    /// How far the ranking's tables have come under these rules; none where they were
    /// made by others.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn ranking_through(
        &self,
        upstream: UpstreamId,
        rules: &[u8],
    ) -> Result<Option<CommitId>, StoreError> {
        let state = self.derivation(KIND, upstream)?;
        Ok(state.filter(|state| state.rules == rules).map(|state| state.through))
    }

    /// Drops the ranking's rows of an upstream.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn clear_ranking(&mut self, upstream: UpstreamId) -> Result<(), StoreError> {
        let tx = self.conn.transaction()?;
        for table in ["rank_commit", "rank_term", "rank_corpus", "rank_mention"] {
            tx.execute(&format!("DELETE FROM {table} WHERE upstream_id = ?1"), [upstream.0])?;
        }
        tx.execute(
            "DELETE FROM derivation WHERE kind = ?1 AND upstream_id = ?2",
            params![KIND, upstream.0],
        )?;
        tx.commit()?;
        Ok(())
    }

    /// Adds the rows of a batch of commits, and their counts, in one transaction.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add_ranking(
        &mut self,
        upstream: UpstreamId,
        rules: &[u8],
        through: CommitId,
        rows: &[RankingRow],
        counts: &TermCounts,
    ) -> Result<(), StoreError> {
        let tx = self.conn.transaction()?;
        {
            let mut commit = tx.prepare_cached(
                "INSERT OR REPLACE INTO rank_commit (commit_id, upstream_id, features)
                 VALUES (?1, ?2, ?3)",
            )?;
            let mut name = tx.prepare_cached(
                "INSERT INTO rank_mention (upstream_id, commit_id, pull, sha, kind)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            for row in rows {
                commit.execute(params![row.commit.0, upstream.0, row.features])?;
                for named in &row.names {
                    name.execute(params![
                        upstream.0,
                        row.commit.0,
                        named.pull,
                        named.sha,
                        named.kind
                    ])?;
                }
            }
        }
        add_counts(&tx, upstream, counts)?;
        super::derivations::set(&tx, KIND, upstream, rules, through)?;
        tx.commit()?;
        Ok(())
    }

    /// The features of these commits, in the order asked for; none where a commit has
    /// not been read yet.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn ranking_features(&self, ids: &[CommitId]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let mut query =
            self.conn.prepare_cached("SELECT features FROM rank_commit WHERE commit_id = ?1")?;
        ids.iter().map(|id| Ok(query.query_row([id.0], |row| row.get(0)).optional()?)).collect()
    }

    /// The counts of these terms over all of an upstream's commits that were read.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn term_counts(
        &self,
        upstream: UpstreamId,
        terms: impl IntoIterator<Item = u64>,
    ) -> Result<TermCounts, StoreError> {
        let mut out = corpus(&self.conn, upstream)?;
        let mut query = self
            .conn
            .prepare_cached("SELECT counts FROM rank_term WHERE upstream_id = ?1 AND term = ?2")?;
        for term in terms {
            let counts: Option<Vec<u8>> =
                query.query_row(params![upstream.0, signed(term)], |row| row.get(0)).optional()?;
            if let Some(counts) = counts {
                out.terms.insert(term, unpack(&counts));
            }
        }
        Ok(out)
    }

    /// The commits whose messages name this one, each with why.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn named_by(
        &self,
        upstream: UpstreamId,
        oid: Oid,
        pull: Option<u32>,
    ) -> Result<Vec<(CommitId, u8)>, StoreError> {
        let hex = oid.to_string();
        let mut out = Vec::new();
        let mut by_sha = self.conn.prepare_cached(
            "SELECT commit_id, kind, sha FROM rank_mention
             WHERE upstream_id = ?1 AND substr(sha, 1, 7) = ?2 AND sha IS NOT NULL",
        )?;
        let mut rows = by_sha.query(params![upstream.0, hex.get(..7)])?;
        while let Some(row) = rows.next()? {
            let sha: String = row.get(2)?;
            if hex.starts_with(&sha) {
                out.push((CommitId(row.get(0)?), row.get(1)?));
            }
        }
        if let Some(pull) = pull {
            let mut by_pull = self.conn.prepare_cached(
                "SELECT commit_id, kind FROM rank_mention WHERE upstream_id = ?1 AND pull = ?2",
            )?;
            let mut rows = by_pull.query(params![upstream.0, pull])?;
            while let Some(row) = rows.next()? {
                out.push((CommitId(row.get(0)?), row.get(1)?));
            }
        }
        out.sort_unstable();
        out.dedup();
        Ok(out)
    }
}

fn corpus(conn: &rusqlite::Connection, upstream: UpstreamId) -> Result<TermCounts, StoreError> {
    let mut query =
        conn.prepare_cached("SELECT commits, lens FROM rank_corpus WHERE upstream_id = ?1")?;
    let row = query
        .query_row([upstream.0], |row| Ok((row.get::<_, u64>(0)?, row.get::<_, Vec<u8>>(1)?)))
        .optional()?;
    let mut out = TermCounts::default();
    if let Some((commits, lens)) = row {
        out.commits = commits;
        for (len, bytes) in out.lens.iter_mut().zip(lens.chunks_exact(8)) {
            *len = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
        }
    }
    Ok(out)
}

fn add_counts(
    tx: &Transaction<'_>,
    upstream: UpstreamId,
    counts: &TermCounts,
) -> Result<(), StoreError> {
    let mut sum = corpus(tx, upstream)?;
    sum.commits = sum.commits.saturating_add(counts.commits);
    for (len, more) in sum.lens.iter_mut().zip(counts.lens) {
        *len = len.saturating_add(more);
    }
    let lens: Vec<u8> = sum.lens.iter().flat_map(|len| len.to_le_bytes()).collect();
    tx.prepare_cached(
        "INSERT OR REPLACE INTO rank_corpus (upstream_id, commits, lens) VALUES (?1, ?2, ?3)",
    )?
    .execute(params![upstream.0, sum.commits, lens])?;
    let mut read =
        tx.prepare_cached("SELECT counts FROM rank_term WHERE upstream_id = ?1 AND term = ?2")?;
    let mut write = tx.prepare_cached(
        "INSERT OR REPLACE INTO rank_term (upstream_id, term, counts) VALUES (?1, ?2, ?3)",
    )?;
    // In the order of the key, so that pages are filled one after the other.
    let mut terms: Vec<_> = counts.terms.iter().collect();
    terms.sort_unstable_by_key(|(term, _)| signed(**term));
    for (term, more) in terms {
        let key = params![upstream.0, signed(*term)];
        let known: Option<Vec<u8>> = read.query_row(key, |row| row.get(0)).optional()?;
        let mut sum = known.map_or([0; FIELDS], |bytes| unpack(&bytes));
        for (count, more) in sum.iter_mut().zip(more) {
            *count = count.saturating_add(*more);
        }
        write.execute(params![upstream.0, signed(*term), pack(&sum)])?;
    }
    Ok(())
}

/// SQLite's integers have a sign.
fn signed(term: u64) -> i64 {
    i64::from_le_bytes(term.to_le_bytes())
}

/// A bit for each field that has a count, then the counts, seven bits a byte.
fn pack(counts: &[u32; FIELDS]) -> Vec<u8> {
    let mut out = vec![0u8];
    for (at, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        if let Some(first) = out.first_mut() {
            *first |= 1 << at;
        }
        let mut rest = *count;
        while rest >= 0x80 {
            out.push((rest & 0x7f) as u8 | 0x80);
            rest >>= 7;
        }
        out.push(rest as u8);
    }
    out
}

fn unpack(bytes: &[u8]) -> [u32; FIELDS] {
    let mut out = [0; FIELDS];
    let Some((fields, rest)) = bytes.split_first() else { return out };
    let mut rest = rest.iter();
    for (at, count) in out.iter_mut().enumerate() {
        if fields & 1 << at == 0 {
            continue;
        }
        let mut shift = 0;
        for byte in rest.by_ref() {
            *count |= u32::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up_over_batches_and_only_for_their_upstream() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open_or_create(dir.path()).unwrap();
        let (one, other) =
            (store.ensure_upstream("one").unwrap(), store.ensure_upstream("other").unwrap());
        let term = u64::MAX - 5;
        let counts = TermCounts {
            commits: 3,
            lens: [1, 2, 3, 4, 5, 6],
            terms: HashMap::from([(term, [1, 0, 300, 0, 0, 70_000])]),
        };
        let row = RankingRow {
            commit: CommitId(7),
            features: vec![1, 2, 3],
            names: vec![
                NameRow { pull: Some(41), sha: None, kind: 2 },
                NameRow { pull: None, sha: Some("0a0a0a0a".to_owned()), kind: 1 },
            ],
        };
        store.add_ranking(one, b"r", CommitId(7), &[row], &counts).unwrap();
        store.add_ranking(one, b"r", CommitId(9), &[], &counts).unwrap();
        let found = store.term_counts(one, [term, 5]).unwrap();
        assert_eq!((found.commits, found.lens), (6, [2, 4, 6, 8, 10, 12]));
        assert_eq!(found.terms, HashMap::from([(term, [2, 0, 600, 0, 0, 140_000])]));
        assert_eq!(store.term_counts(other, [term]).unwrap(), TermCounts::default());
        assert_eq!(store.ranking_through(one, b"r").unwrap(), Some(CommitId(9)));
        assert_eq!(store.ranking_through(one, b"s").unwrap(), None);
        let oid = Oid::from_bytes([0x0a; 20]);
        assert_eq!(
            store.named_by(one, oid, Some(41)).unwrap(),
            [(CommitId(7), 1), (CommitId(7), 2)]
        );
        assert_eq!(store.named_by(other, oid, Some(41)).unwrap(), []);
        let features = store.ranking_features(&[CommitId(8), CommitId(7)]).unwrap();
        assert_eq!(features, [None, Some(vec![1, 2, 3])]);
        store.clear_ranking(one).unwrap();
        assert_eq!(store.ranking_through(one, b"r").unwrap(), None);
        assert_eq!(store.term_counts(one, [term]).unwrap(), TermCounts::default());
    }

    proptest::proptest! {
        #[test]
        fn packed_counts_come_back(counts: [u32; FIELDS]) {
            proptest::prop_assert_eq!(unpack(&pack(&counts)), counts);
        }

        #[test]
        fn unpacking_never_panics(bytes in proptest::collection::vec(0u8.., 0..40)) {
            let _ = unpack(&bytes);
        }
    }
}
