-- What upstream's host said about a window: a record, whatever the commits that were
-- stored say. Every look is kept; the newest one counts.
CREATE TABLE comparison (
    id INTEGER PRIMARY KEY,
    upstream_id INTEGER NOT NULL REFERENCES upstream (id),
    base BLOB NOT NULL,
    head BLOB NOT NULL,
    -- `identical`, `ahead`, `behind` or `diverged`.
    status TEXT NOT NULL,
    -- Commits that only HEAD reaches, and that only BASE reaches.
    ahead INTEGER NOT NULL,
    behind INTEGER NOT NULL,
    merge_base BLOB,
    observed INTEGER NOT NULL,
    receipt_id INTEGER NOT NULL REFERENCES receipt (id)
);
CREATE INDEX comparison_by_ends ON comparison (upstream_id, base, head, id);

-- Under which name a repository answered when it was not the one asked for.
CREATE TABLE repository_name (
    id INTEGER PRIMARY KEY,
    upstream_id INTEGER NOT NULL REFERENCES upstream (id),
    -- `owner/name` as it was asked for, and as it is now.
    asked TEXT NOT NULL,
    name TEXT NOT NULL,
    observed INTEGER NOT NULL
);

CREATE INDEX receipt_by_source ON receipt (upstream_id, source, id) WHERE etag IS NOT NULL;
