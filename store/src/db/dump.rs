//! A canonical dump of the records: equal for equal records, however a crawl went.

use std::io::{self, Write};

use rusqlite::types::ValueRef;

use super::Store;
use crate::StoreError;

const QUERIES: &[(&str, &str)] = &[
    (
        "commit",
        "SELECT u.name, hex(c.oid), hex(c.tree), hex(c.parents), a.name, a.email, c.authored, k.name,
         k.email, c.committed, c.message, c.pull_request, hex(c.patch_id)
         FROM commit_record c JOIN upstream u ON u.id = c.upstream_id JOIN person a ON a.id = c.author_id
         JOIN person k ON k.id = c.committer_id ORDER BY u.name, c.oid",
    ),
    (
        "change",
        "SELECT u.name, hex(c.oid), f.id - (SELECT min(id) FROM file_change WHERE commit_id = c.id),
         p.path, o.path, f.status, f.old_mode, f.new_mode, hex(f.old_blob), hex(f.new_blob), f.added,
         f.deleted, f.flags, t.bytes, hex(t.hunks)
         FROM file_change f JOIN commit_record c ON c.id = f.commit_id
         JOIN upstream u ON u.id = c.upstream_id JOIN path p ON p.id = f.path_id
         LEFT JOIN path o ON o.id = f.old_path_id LEFT JOIN patch t ON t.change_id = f.id
         ORDER BY u.name, c.oid, f.id",
    ),
    (
        "gap",
        "SELECT u.name, g.kind, hex(c.oid), g.path, hex(g.object), g.detail, g.filled IS NULL
         FROM gap g JOIN upstream u ON u.id = g.upstream_id LEFT JOIN commit_record c ON c.id = g.commit_id
         ORDER BY 1, 2, 3, 4, 5",
    ),
    (
        "ref",
        "SELECT DISTINCT u.name, r.name, hex(r.target), hex(r.object)
         FROM ref_seen r JOIN upstream u ON u.id = r.upstream_id ORDER BY 1, 2, 3, 4",
    ),
    (
        "model",
        "SELECT DISTINCT s.name, s.place, hex(s.manifest), r.transport, r.params, r.format, r.family,
         r.renderer, r.parser, r.requires
         FROM model_seen s LEFT JOIN model_reading r ON r.manifest = s.manifest
         ORDER BY 1, 2, 3, 4",
    ),
    (
        "place",
        "SELECT u.name, hex(c.oid), p.on_branch, p.reachable, p.first_tag, p.first_final_tag,
         p.first_shipped, p.first_final_shipped
         FROM place p JOIN commit_record c ON c.id = p.commit_id JOIN upstream u ON u.id = c.upstream_id
         ORDER BY u.name, c.oid",
    ),
];

impl Store {
    /// Writes every record, without times of crawls and row ids, one line a record.
    ///
    /// # Errors
    /// Those of SQLite and of `out`.
    pub fn dump(&self, out: &mut dyn Write) -> Result<(), StoreError> {
        let write_error = StoreError::io("the dump");
        self.dump_to(out).map_err(|error| match error {
            DumpError::Sqlite(error) => StoreError::Sqlite(error),
            DumpError::Io(error) => write_error(error),
        })
    }

    fn dump_to(&self, out: &mut dyn Write) -> Result<(), DumpError> {
        for (name, sql) in QUERIES {
            let mut query = self.conn.prepare(sql)?;
            let columns = query.column_count();
            let mut rows = query.query([])?;
            while let Some(row) = rows.next()? {
                write!(out, "{name}")?;
                for column in 0..columns {
                    match row.get_ref(column)? {
                        ValueRef::Null => write!(out, "\t-")?,
                        ValueRef::Integer(number) => write!(out, "\t{number}")?,
                        ValueRef::Real(number) => write!(out, "\t{number}")?,
                        ValueRef::Text(text) | ValueRef::Blob(text) => {
                            write!(out, "\t{}", text.escape_ascii())?;
                        }
                    }
                }
                writeln!(out)?;
            }
        }
        Ok(())
    }
}

#[derive(Debug, thiserror::Error)]
enum DumpError {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error(transparent)]
    Io(#[from] io::Error),
}
