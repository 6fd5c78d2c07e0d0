-- One row: the mark that the exact index over these records carries, so that an index
-- is never used with records that it was not made from.
CREATE TABLE exact_index (
    mark BLOB NOT NULL
);

-- Derived: what a search must know of each commit of an upstream, packed into one value
-- since a search reads all of it (store/src/db/commit_list.rs tells how).
CREATE TABLE commit_list (
    upstream_id INTEGER PRIMARY KEY REFERENCES upstream (id),
    -- What it was made from: when this differs, it is made anew.
    source BLOB NOT NULL,
    commits BLOB NOT NULL
);
