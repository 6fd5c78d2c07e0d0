//! The classes of commits: derived, and made anew when rules change.

use std::collections::{HashMap, HashSet};

use rusqlite::{OptionalExtension as _, Transaction, params};

use super::{CommitId, Store, UpstreamId};
use crate::StoreError;
use crate::model::Label;

impl Store {
    /// The labels of a commit, in the order of their rules' names.
    ///
    /// # Errors
    /// Those of SQLite, and evidence that cannot be read.
    pub fn labels(&self, commit: CommitId) -> Result<Vec<Label>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT r.class, r.rule, l.evidence FROM label l JOIN label_rule r ON r.id = l.label_rule_id
             WHERE l.commit_id = ?1 ORDER BY r.class, r.rule",
        )?;
        let mut rows = query.query([commit.0])?;
        let mut labels = Vec::new();
        while let Some(row) = rows.next()? {
            let evidence =
                serde_json::from_str(row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?)
                    .map_err(|error| StoreError::Damaged(format!("a label's evidence: {error}")))?;
            labels.push(Label { class: row.get(0)?, rule: row.get(1)?, evidence });
        }
        Ok(labels)
    }

    /// The rows of an upstream's commits that have a class.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn commits_of_class(
        &self,
        upstream: UpstreamId,
        class: &str,
    ) -> Result<HashSet<CommitId>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT DISTINCT l.commit_id FROM label_rule r JOIN label l ON l.label_rule_id = r.id
             JOIN commit_record c ON c.id = l.commit_id
             WHERE r.class = ?2 AND c.upstream_id = ?1",
        )?;
        let rows = query.query_map(params![upstream.0, class], |row| row.get(0).map(CommitId))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many commits of an upstream have each class, in the order of the names.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn label_counts(&self, upstream: UpstreamId) -> Result<Vec<(String, u64)>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT r.class, count(DISTINCT l.commit_id) FROM label l
             JOIN label_rule r ON r.id = l.label_rule_id
             JOIN commit_record c ON c.id = l.commit_id
             WHERE c.upstream_id = ?1 GROUP BY r.class ORDER BY r.class",
        )?;
        let rows = query.query_map([upstream.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Adds the labels of commits, all those up to `through` being done then; `rules` is
    /// the hash of the rules that made them. With `anew` the labels of an earlier rule set
    /// are dropped first.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn write_labels(
        &mut self,
        upstream: UpstreamId,
        rules: &[u8],
        anew: bool,
        through: CommitId,
        labels: &[(CommitId, Vec<Label>)],
    ) -> Result<(), StoreError> {
        let tx = self.conn.transaction()?;
        if anew {
            tx.execute(
                "DELETE FROM label WHERE commit_id IN (SELECT id FROM commit_record WHERE upstream_id = ?1)",
                [upstream.0],
            )?;
        }
        let mut ids = HashMap::new();
        for (commit, labels) in labels {
            for label in labels {
                let key = (label.class.as_str(), label.rule.as_str());
                let id = match ids.get(&key) {
                    Some(id) => *id,
                    None => {
                        let id = rule_id(&tx, label)?;
                        ids.insert(key, id);
                        id
                    }
                };
                let evidence = serde_json::to_string(&label.evidence)
                    .map_err(|error| StoreError::Damaged(format!("a label's evidence: {error}")))?;
                tx.prepare_cached(
                    "INSERT OR REPLACE INTO label (commit_id, label_rule_id, evidence) VALUES (?1, ?2, ?3)",
                )?
                .execute(params![commit.0, id, evidence])?;
            }
        }
        super::derivations::set(&tx, "labels", upstream, rules, through)?;
        tx.commit()?;
        Ok(())
    }
}

fn rule_id(tx: &Transaction<'_>, label: &Label) -> Result<i64, StoreError> {
    let find = "SELECT id FROM label_rule WHERE class = ?1 AND rule = ?2";
    let known = tx
        .prepare_cached(find)?
        .query_row(params![label.class, label.rule], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    tx.prepare_cached("INSERT INTO label_rule (class, rule) VALUES (?1, ?2)")?
        .execute(params![label.class, label.rule])?;
    Ok(tx.last_insert_rowid())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LineRef, Side};

    fn label(class: &str, rule: &str) -> Label {
        let line = LineRef { path: "a".into(), side: Side::Added, line: 3, text: "x \"y\"".into() };
        Label { class: class.into(), rule: rule.into(), evidence: vec![line] }
    }

    #[test]
    fn labels_come_back_and_a_new_rule_set_replaces_them() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open_or_create(dir.path()).unwrap();
        store
            .conn
            .execute_batch(
                "INSERT INTO upstream (id, name) VALUES (1, 'u');
                 INSERT INTO commit_record (id, upstream_id, oid, tree, parents, author_id, authored,
                     committer_id, committed, message, receipt_id)
                 VALUES (7, 1, x'00', x'00', x'', 1, 0, 1, 0, 'm', 1);",
            )
            .unwrap();
        let (upstream, commit) = (UpstreamId(1), CommitId(7));
        let both = vec![label("cuda", "cuda/b"), label("cuda", "cuda/a")];
        store.write_labels(upstream, b"one", true, commit, &[(commit, both)]).unwrap();
        let rules: Vec<_> = store.labels(commit).unwrap().into_iter().map(|l| l.rule).collect();
        assert_eq!(rules, ["cuda/a", "cuda/b"]);
        assert_eq!(store.labels(commit).unwrap()[0].evidence[0].text, "x \"y\"");
        assert_eq!(store.label_counts(upstream).unwrap(), [("cuda".to_owned(), 1)]);
        assert!(store.commits_of_class(upstream, "cuda").unwrap().contains(&commit));
        assert!(store.commits_of_class(upstream, "moe").unwrap().is_empty());
        let state = store.derivation("labels", upstream).unwrap().unwrap();
        assert_eq!((state.rules.as_slice(), state.through), (&b"one"[..], commit));
        store
            .write_labels(upstream, b"two", true, commit, &[(commit, vec![label("moe", "moe/a")])])
            .unwrap();
        assert_eq!(store.labels(commit).unwrap(), [label("moe", "moe/a")]);
    }
}
