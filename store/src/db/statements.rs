//! Statements: what people wrote on upstream's host, every version that was seen.

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension as _, Row, params};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Store, UpstreamId, time};
use crate::{Oid, StoreError};

/// What kind of text it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StatementKind {
    /// A release's notes; its key is the tag.
    Release,
    /// A pull request's text; its key is the number.
    Pull,
    /// An issue's text; its key is the number.
    Issue,
    /// A security advisory; its key is the GHSA id.
    Advisory,
}

impl StatementKind {
    /// As stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            StatementKind::Release => "release",
            StatementKind::Pull => "pull",
            StatementKind::Issue => "issue",
            StatementKind::Advisory => "advisory",
        }
    }

    fn of(text: &str) -> Option<Self> {
        let all = [Self::Release, Self::Pull, Self::Issue, Self::Advisory];
        all.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// How a text is marked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Markup {
    /// GitHub's Markdown.
    Markdown,
    /// HTML, as feeds carry it.
    Html,
}

/// A statement to be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct NewStatement {
    /// What kind of text it is.
    pub kind: StatementKind,
    /// The tag, the number, the advisory's id.
    pub key: String,
    /// Its title: a stranger's text, as all of the following.
    pub title: String,
    /// Its text.
    pub body: String,
    /// How that is marked up.
    pub markup: Markup,
    /// As the host calls it: `open`, `closed`, `merged`, `final`, `prerelease`, `published`.
    pub state: String,
    /// Who wrote it, where the host says.
    pub author: Option<String>,
    /// Its page.
    pub url: String,
    /// When it was opened; for a release, what the host calls its creation.
    pub opened: Option<DateTime<Utc>>,
    /// When it came out or was last changed, as the host says.
    pub published: Option<DateTime<Utc>>,
    /// When it was closed or merged.
    pub closed: Option<DateTime<Utc>>,
    /// What only its kind has.
    pub detail: Value,
}

/// A statement as it was seen last by one transport.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// What was seen.
    pub said: NewStatement,
    /// The transport.
    pub transport: String,
    /// When this version was first seen.
    pub observed: DateTime<Utc>,
    /// Its receipt's row.
    pub receipt: i64,
    /// How many versions this transport has shown.
    pub versions: u32,
}

/// What came of asking for a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// Whether everything that the host has in scope came.
    pub complete: bool,
    /// Why it did not.
    pub detail: Option<String>,
    /// When it was asked for.
    pub observed: DateTime<Utc>,
}

const COLUMNS: &str =
    "s.kind, s.key, s.title, s.body, s.markup, s.state, s.author, s.url, s.opened,
    s.published, s.closed, s.detail, r.transport, s.observed, s.receipt_id,
    (SELECT count(*) FROM statement o JOIN receipt p ON p.id = o.receipt_id
     WHERE o.upstream_id = s.upstream_id AND o.kind = s.kind AND o.key = s.key
     AND p.transport = r.transport AND o.id <= s.id)";

/// The newest version of each transport.
const NEWEST: &str = "NOT EXISTS (SELECT 1 FROM statement n JOIN receipt q ON q.id = n.receipt_id
    WHERE n.upstream_id = s.upstream_id AND n.kind = s.kind AND n.key = s.key AND n.id > s.id
    AND q.transport = r.transport)";

impl Store {
    /// Keeps a statement, unless the transport of its receipt showed the same before.
    /// Returns whether it is new.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add_statement(
        &self,
        upstream: UpstreamId,
        receipt: i64,
        said: &NewStatement,
    ) -> Result<bool, StoreError> {
        let transport = self.receipt(receipt)?.transport().to_owned();
        let known = self.statement(upstream, said.kind, &said.key)?;
        if known.iter().any(|one| one.transport == transport && one.said == *said) {
            return Ok(false);
        }
        let markup = if said.markup == Markup::Html { "html" } else { "markdown" };
        let seconds = |time: Option<DateTime<Utc>>| time.map(|time| time.timestamp());
        self.conn.execute(
            "INSERT INTO statement (upstream_id, kind, key, title, body, markup, state, author, url,
             opened, published, closed, detail, observed, receipt_id)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
            params![
                upstream.0,
                said.kind.as_str(),
                said.key,
                said.title,
                said.body,
                markup,
                said.state,
                said.author,
                said.url,
                seconds(said.opened),
                seconds(said.published),
                seconds(said.closed),
                said.detail.to_string(),
                Utc::now().timestamp(),
                receipt
            ],
        )?;
        Ok(true)
    }

    /// Whether anything that people wrote of an upstream is stored.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn has_statements(&self, upstream: UpstreamId) -> Result<bool, StoreError> {
        let mut query = self
            .conn
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM statement WHERE upstream_id = ?1)")?;
        Ok(query.query_row([upstream.0], |row| row.get(0))?)
    }

    /// One statement, as each transport showed it last.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn statement(
        &self,
        upstream: UpstreamId,
        kind: StatementKind,
        key: &str,
    ) -> Result<Vec<Statement>, StoreError> {
        self.statements_where("s.key = ?3", params![upstream.0, kind.as_str(), key])
    }

    /// Every statement of a kind, as each transport showed it last, in the order in which
    /// they were first stored.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn statements(
        &self,
        upstream: UpstreamId,
        kind: StatementKind,
    ) -> Result<Vec<Statement>, StoreError> {
        self.statements_where("1", params![upstream.0, kind.as_str()])
    }

    fn statements_where(
        &self,
        condition: &str,
        params: &[&dyn rusqlite::ToSql],
    ) -> Result<Vec<Statement>, StoreError> {
        let mut query = self.conn.prepare_cached(&format!(
            "SELECT {COLUMNS} FROM statement s JOIN receipt r ON r.id = s.receipt_id
             WHERE s.upstream_id = ?1 AND s.kind = ?2 AND {condition} AND {NEWEST} ORDER BY s.id"
        ))?;
        let mut rows = query.query(params)?;
        let mut out = Vec::new();
        while let Some(row) = rows.next()? {
            out.push(read(row)?);
        }
        Ok(out)
    }

    /// Every version of a statement that one transport showed, oldest first.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn statement_versions(
        &self,
        upstream: UpstreamId,
        kind: StatementKind,
        key: &str,
    ) -> Result<Vec<Statement>, StoreError> {
        let mut query = self.conn.prepare_cached(&format!(
            "SELECT {COLUMNS} FROM statement s JOIN receipt r ON r.id = s.receipt_id
             WHERE s.upstream_id = ?1 AND s.kind = ?2 AND s.key = ?3 ORDER BY s.id"
        ))?;
        let mut rows = query.query(params![upstream.0, kind.as_str(), key])?;
        let mut out = Vec::new();
        while let Some(row) = rows.next()? {
            out.push(read(row)?);
        }
        Ok(out)
    }

    /// The statements of an upstream that hold all of these words, best first, each in its
    /// newest version.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn search_statements(
        &self,
        upstream: UpstreamId,
        words: &[&str],
        limit: usize,
    ) -> Result<Vec<Statement>, StoreError> {
        // A quoted string is a phrase of tokens to FTS5, whatever it holds
        // (<https://www.sqlite.org/fts5.html#full_text_query_syntax>).
        let quoted: Vec<String> = words
            .iter()
            .filter(|word| word.chars().any(char::is_alphanumeric))
            .map(|word| word.replace(char::is_control, " ").replace('"', "\"\""))
            .map(|word| format!("\"{word}\""))
            .collect();
        if quoted.is_empty() {
            return Ok(Vec::new());
        }
        let mut query = self.conn.prepare_cached(&format!(
            "SELECT {COLUMNS} FROM statement_text t JOIN statement s ON s.id = t.rowid
             JOIN receipt r ON r.id = s.receipt_id
             WHERE statement_text MATCH ?2 AND s.upstream_id = ?1 AND {NEWEST}
             ORDER BY bm25(statement_text, 4.0, 1.0), s.id DESC LIMIT ?3"
        ))?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut rows = query.query(params![upstream.0, quoted.join(" "), limit])?;
        let mut out = Vec::new();
        while let Some(row) = rows.next()? {
            out.push(read(row)?);
        }
        Ok(out)
    }

    /// Keeps which pull requests the host names for a commit.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add_pull_lookup(
        &self,
        upstream: UpstreamId,
        receipt: i64,
        oid: Oid,
        numbers: &[u32],
    ) -> Result<(), StoreError> {
        self.conn.execute(
            "INSERT INTO pull_lookup (upstream_id, oid, numbers, observed, receipt_id)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                upstream.0,
                oid,
                Value::from(numbers.to_vec()).to_string(),
                Utc::now().timestamp(),
                receipt
            ],
        )?;
        Ok(())
    }

    /// The pull requests that the host named for a commit, and the receipt; `None` where it
    /// was not asked.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn pull_lookup(
        &self,
        upstream: UpstreamId,
        oid: Oid,
    ) -> Result<Option<(Vec<u32>, i64)>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT numbers, receipt_id FROM pull_lookup
             WHERE upstream_id = ?1 AND oid = ?2 ORDER BY id DESC LIMIT 1",
        )?;
        let row: Option<(String, i64)> = query
            .query_row(params![upstream.0, oid], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        row.map(|(numbers, receipt)| {
            let numbers = serde_json::from_str(&numbers)
                .map_err(|_| StoreError::Damaged(format!("the pull requests of {oid}")))?;
            Ok((numbers, receipt))
        })
        .transpose()
    }

    /// The commits for which the host named this pull request.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn commits_looked_up(
        &self,
        upstream: UpstreamId,
        number: u32,
    ) -> Result<Vec<Oid>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT DISTINCT p.oid FROM pull_lookup p, json_each(p.numbers) n
             WHERE p.upstream_id = ?1 AND n.value = ?2 ORDER BY p.id",
        )?;
        let rows = query.query_map(params![upstream.0, number], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Keeps what came of asking for a list.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn add_look(
        &self,
        upstream: UpstreamId,
        kind: StatementKind,
        scope: &str,
        receipt: Option<i64>,
        incomplete: Option<&str>,
    ) -> Result<(), StoreError> {
        self.conn.execute(
            "INSERT INTO statement_look (upstream_id, kind, scope, complete, detail, observed, receipt_id)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                upstream.0,
                kind.as_str(),
                scope,
                incomplete.is_none(),
                incomplete,
                Utc::now().timestamp(),
                receipt
            ],
        )?;
        Ok(())
    }

    /// Whether any list of this kind was ever asked for.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn has_looked(
        &self,
        upstream: UpstreamId,
        kind: StatementKind,
    ) -> Result<bool, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM statement_look WHERE upstream_id = ?1 AND kind = ?2)",
        )?;
        Ok(query.query_row(params![upstream.0, kind.as_str()], |row| row.get(0))?)
    }

    /// What came of asking for a list the last time.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn look(
        &self,
        upstream: UpstreamId,
        kind: StatementKind,
        scope: &str,
    ) -> Result<Option<Look>, StoreError> {
        let mut query = self.conn.prepare_cached(
            "SELECT complete, detail, observed FROM statement_look
             WHERE upstream_id = ?1 AND kind = ?2 AND scope = ?3 ORDER BY id DESC LIMIT 1",
        )?;
        Ok(query
            .query_row(params![upstream.0, kind.as_str(), scope], |row| {
                Ok(Look { complete: row.get(0)?, detail: row.get(1)?, observed: time(row.get(2)?) })
            })
            .optional()?)
    }
}

fn read(row: &Row<'_>) -> Result<Statement, StoreError> {
    let (kind, markup, detail): (String, String, String) = (row.get(0)?, row.get(4)?, row.get(11)?);
    let damaged = |what: &str| StoreError::Damaged(format!("a statement's {what} cannot be read"));
    let when = |at: usize| -> Result<Option<DateTime<Utc>>, StoreError> {
        Ok(row.get::<_, Option<i64>>(at)?.map(time))
    };
    Ok(Statement {
        said: NewStatement {
            kind: StatementKind::of(&kind).ok_or_else(|| damaged("kind"))?,
            key: row.get(1)?,
            title: row.get(2)?,
            body: row.get(3)?,
            markup: if markup == "html" { Markup::Html } else { Markup::Markdown },
            state: row.get(5)?,
            author: row.get(6)?,
            url: row.get(7)?,
            opened: when(8)?,
            published: when(9)?,
            closed: when(10)?,
            detail: serde_json::from_str(&detail).map_err(|_| damaged("detail"))?,
        },
        transport: row.get(12)?,
        observed: time(row.get(13)?),
        receipt: row.get(14)?,
        versions: row.get(15)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NewReceipt;

    fn place() -> (tempfile::TempDir, Store, UpstreamId) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(dir.path()).unwrap();
        let id = store.ensure_upstream("ollama").unwrap();
        (dir, store, id)
    }

    fn receipt(store: &Store, id: UpstreamId, transport: &str) -> i64 {
        let new = NewReceipt {
            transport,
            source: "https://example.org",
            obtained: Utc::now(),
            body: b"x",
            etag: None,
        };
        store.add_receipt_of(id, &new).unwrap()
    }

    fn notes(body: &str) -> NewStatement {
        NewStatement {
            kind: StatementKind::Release,
            key: "v1".to_owned(),
            title: "v1".to_owned(),
            body: body.to_owned(),
            markup: Markup::Markdown,
            state: "final".to_owned(),
            author: None,
            url: "https://example.org/v1".to_owned(),
            opened: None,
            published: None,
            closed: None,
            detail: Value::Null,
        }
    }

    #[test]
    fn every_version_is_kept_and_the_newest_of_each_transport_counts() {
        let (_dir, store, id) = place();
        let (rest, feed) = (receipt(&store, id, "github-rest"), receipt(&store, id, "feed"));
        assert!(store.add_statement(id, rest, &notes("the first text")).unwrap());
        assert!(!store.add_statement(id, rest, &notes("the first text")).unwrap());
        assert!(store.add_statement(id, feed, &notes("the first text")).unwrap());
        assert!(store.add_statement(id, rest, &notes("an edited text")).unwrap());
        let now = store.statement(id, StatementKind::Release, "v1").unwrap();
        let told: Vec<_> =
            now.iter().map(|s| (s.transport.as_str(), s.said.body.as_str(), s.versions)).collect();
        assert_eq!(told, [("feed", "the first text", 1), ("github-rest", "an edited text", 2)]);
        assert_eq!(store.statement_versions(id, StatementKind::Release, "v1").unwrap().len(), 3);
        // An old version is not found by its words.
        let of = |words: &[&str]| store.search_statements(id, words, 9).unwrap().len();
        assert_eq!((of(&["first"]), of(&["edited"]), of(&["nothing"])), (1, 1, 0));
        assert_eq!((of(&["\" OR *"]), of(&["*"]), of(&["te\0xt"])), (0, 0, 0));
    }

    #[test]
    fn a_commit_that_was_not_looked_up_is_not_one_without_a_pull_request() {
        let (_dir, store, id) = place();
        let rest = receipt(&store, id, "github-rest");
        let [one, two, three] = ["11", "22", "33"].map(|b| b.repeat(20).parse::<Oid>().unwrap());
        store.add_pull_lookup(id, rest, one, &[17, 4]).unwrap();
        store.add_pull_lookup(id, rest, two, &[]).unwrap();
        assert_eq!(store.pull_lookup(id, one).unwrap(), Some((vec![17, 4], rest)));
        assert_eq!(store.pull_lookup(id, two).unwrap(), Some((vec![], rest)));
        assert_eq!(store.pull_lookup(id, three).unwrap(), None);
        assert_eq!(store.commits_looked_up(id, 4).unwrap(), [one]);
        assert!(store.look(id, StatementKind::Release, "all").unwrap().is_none());
        store.add_look(id, StatementKind::Release, "all", None, Some("a cap")).unwrap();
        let look = store.look(id, StatementKind::Release, "all").unwrap().unwrap();
        assert_eq!((look.complete, look.detail.as_deref()), (false, Some("a cap")));
    }
}
