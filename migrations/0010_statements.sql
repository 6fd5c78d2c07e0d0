-- What people wrote on upstream's host: a release's notes, a pull request, an issue, an
-- advisory. All of it can be edited: every version seen is kept, and the newest counts.
CREATE TABLE statement (
    id INTEGER PRIMARY KEY,
    upstream_id INTEGER NOT NULL REFERENCES upstream (id),
    -- `release`, `pull`, `issue` or `advisory`.
    kind TEXT NOT NULL,
    -- The tag, the number, the advisory's id.
    key TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    -- `markdown` or `html`.
    markup TEXT NOT NULL,
    -- As the host calls it: `open`, `closed`, `merged`, `prerelease`.
    state TEXT NOT NULL,
    author TEXT,
    url TEXT NOT NULL,
    opened INTEGER,
    published INTEGER,
    closed INTEGER,
    -- What only this kind has, as JSON.
    detail TEXT NOT NULL,
    observed INTEGER NOT NULL,
    receipt_id INTEGER NOT NULL REFERENCES receipt (id)
);
CREATE INDEX statement_by_key ON statement (upstream_id, kind, key, id);

CREATE VIRTUAL TABLE statement_text USING fts5 (title, body, content = 'statement', content_rowid = 'id');
CREATE TRIGGER statement_is_found AFTER INSERT ON statement BEGIN
    INSERT INTO statement_text (rowid, title, body) VALUES (new.id, new.title, new.body);
END;

-- Which pull requests the host names for a commit; an empty list where it names none.
CREATE TABLE pull_lookup (
    id INTEGER PRIMARY KEY,
    upstream_id INTEGER NOT NULL REFERENCES upstream (id),
    oid BLOB NOT NULL,
    -- A JSON list of numbers.
    numbers TEXT NOT NULL,
    observed INTEGER NOT NULL,
    receipt_id INTEGER NOT NULL REFERENCES receipt (id)
);
CREATE INDEX pull_lookup_by_commit ON pull_lookup (upstream_id, oid, id);

-- Lists that were asked for, so that a part of one is never taken for the whole.
CREATE TABLE statement_look (
    id INTEGER PRIMARY KEY,
    upstream_id INTEGER NOT NULL REFERENCES upstream (id),
    kind TEXT NOT NULL,
    -- `all`, `newest`, or what was searched for.
    scope TEXT NOT NULL,
    -- Whether everything that the host has in scope came.
    complete INTEGER NOT NULL,
    -- Why it did not.
    detail TEXT,
    observed INTEGER NOT NULL,
    receipt_id INTEGER REFERENCES receipt (id)
);
CREATE INDEX statement_look_by_scope ON statement_look (upstream_id, kind, scope, id);
