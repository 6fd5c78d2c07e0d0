-- The records of a crawl. Times are seconds since 1970 in UTC.

CREATE TABLE upstream (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

-- How records were obtained. One receipt may stand under many records of one crawl.
CREATE TABLE receipt (
    id INTEGER PRIMARY KEY,
    upstream_id INTEGER NOT NULL REFERENCES upstream (id),
    transport TEXT NOT NULL,
    -- A URL, or the directory of a git clone.
    source TEXT NOT NULL,
    obtained INTEGER NOT NULL,
    -- Of the bytes that came, where one answer holds the record; a git object proves
    -- itself by its id and has none.
    sha256 BLOB,
    bytes INTEGER,
    etag TEXT
);

CREATE TABLE person (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    UNIQUE (name, email)
);

-- `commit` is a keyword of SQL, hence the longer name.
CREATE TABLE commit_record (
    id INTEGER PRIMARY KEY,
    upstream_id INTEGER NOT NULL REFERENCES upstream (id),
    oid BLOB NOT NULL,
    tree BLOB NOT NULL,
    -- The parents' ids, one after the other, 20 bytes each.
    parents BLOB NOT NULL,
    author_id INTEGER NOT NULL REFERENCES person (id),
    authored INTEGER NOT NULL,
    committer_id INTEGER NOT NULL REFERENCES person (id),
    committed INTEGER NOT NULL,
    message TEXT NOT NULL,
    pull_request INTEGER,
    -- As `git patch-id --stable` prints it; null for merges, empty commits and gaps.
    patch_id BLOB,
    receipt_id INTEGER NOT NULL REFERENCES receipt (id),
    UNIQUE (upstream_id, oid)
);
CREATE INDEX commit_by_patch_id ON commit_record (upstream_id, patch_id) WHERE patch_id IS NOT NULL;
CREATE INDEX commit_by_date ON commit_record (upstream_id, committed);
CREATE INDEX commit_by_pull_request ON commit_record (upstream_id, pull_request) WHERE pull_request IS NOT NULL;

CREATE TABLE path (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE
);

-- Rows of one commit have consecutive ids, in git's order.
CREATE TABLE file_change (
    id INTEGER PRIMARY KEY,
    commit_id INTEGER NOT NULL REFERENCES commit_record (id),
    path_id INTEGER NOT NULL REFERENCES path (id),
    old_path_id INTEGER REFERENCES path (id),
    -- Git's status letter, as a byte.
    status INTEGER NOT NULL,
    old_mode INTEGER NOT NULL,
    new_mode INTEGER NOT NULL,
    old_blob BLOB NOT NULL,
    new_blob BLOB NOT NULL,
    added INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    -- 1: git calls it binary. 2: a blob is missing. 4: of a merge, whose text is read
    -- from the object store when asked for.
    flags INTEGER NOT NULL
);
CREATE INDEX change_by_commit ON file_change (commit_id);
CREATE INDEX change_by_path ON file_change (path_id);

-- The hunks of a file change, compressed (zstd); no row where there are none.
CREATE TABLE patch (
    change_id INTEGER PRIMARY KEY REFERENCES file_change (id),
    bytes INTEGER NOT NULL,
    hunks BLOB NOT NULL
);

-- What a crawl could not get. A gap that was filled later keeps its row.
CREATE TABLE gap (
    id INTEGER PRIMARY KEY,
    upstream_id INTEGER NOT NULL REFERENCES upstream (id),
    kind TEXT NOT NULL,
    commit_id INTEGER REFERENCES commit_record (id),
    path TEXT,
    object BLOB,
    detail TEXT NOT NULL,
    seen INTEGER NOT NULL,
    filled INTEGER
);
CREATE INDEX gap_by_commit ON gap (commit_id);

-- Looks at refs, newest last. A ref that has gone has a row without a target.
CREATE TABLE ref_seen (
    id INTEGER PRIMARY KEY,
    upstream_id INTEGER NOT NULL REFERENCES upstream (id),
    -- `refs/tags/v1` or `refs/heads/main`.
    name TEXT NOT NULL,
    -- The commit, after peeling.
    target BLOB,
    -- The tag object of an annotated tag.
    object BLOB,
    observed INTEGER NOT NULL,
    receipt_id INTEGER NOT NULL REFERENCES receipt (id)
);
CREATE INDEX ref_by_name ON ref_seen (upstream_id, name, id);

-- Crawls, so that a half one is never taken for a whole one.
CREATE TABLE crawl (
    id INTEGER PRIMARY KEY,
    upstream_id INTEGER NOT NULL REFERENCES upstream (id),
    -- `whole`, or the window as it was asked for.
    scope TEXT NOT NULL,
    receipt_id INTEGER NOT NULL REFERENCES receipt (id),
    started INTEGER NOT NULL,
    -- Null until everything in scope is stored.
    finished INTEGER,
    -- Commits that upstream has in scope.
    commits INTEGER NOT NULL
);

-- Derived: where a commit stands among branches and tags, made anew when these move.
CREATE TABLE place (
    commit_id INTEGER PRIMARY KEY REFERENCES commit_record (id),
    upstream_id INTEGER NOT NULL,
    on_branch INTEGER NOT NULL,
    -- How many commits can be reached from it, itself included.
    reachable INTEGER NOT NULL,
    first_tag TEXT,
    first_final_tag TEXT,
    -- The earliest tag that holds it or a twin.
    first_shipped TEXT,
    first_final_shipped TEXT
);
CREATE INDEX place_by_reachable ON place (upstream_id, reachable);

-- How far each derived table has come, and by which rules it was made.
CREATE TABLE derivation (
    kind TEXT NOT NULL,
    upstream_id INTEGER NOT NULL REFERENCES upstream (id),
    -- The hash of the rule set, or of what else it was made from.
    rules BLOB NOT NULL,
    -- Every commit up to this id is done.
    through INTEGER NOT NULL,
    PRIMARY KEY (kind, upstream_id)
);
