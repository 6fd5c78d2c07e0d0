-- Derived: what a ranker reads of each commit, in the encoding of headwater-queries.
CREATE TABLE rank_commit (
    commit_id INTEGER PRIMARY KEY REFERENCES commit_record (id),
    upstream_id INTEGER NOT NULL,
    features BLOB NOT NULL
);

-- Derived: in how many commits a term stands, a count for each field.
CREATE TABLE rank_term (
    upstream_id INTEGER NOT NULL,
    term INTEGER NOT NULL,
    counts BLOB NOT NULL,
    PRIMARY KEY (upstream_id, term)
) WITHOUT ROWID;

-- Derived: the commits that were counted, and the terms of each field in all of them.
CREATE TABLE rank_corpus (
    upstream_id INTEGER PRIMARY KEY,
    commits INTEGER NOT NULL,
    lens BLOB NOT NULL
);

-- Derived: which commits a commit's message names, by pull request or by the first
-- digits of their ids, and why.
CREATE TABLE rank_mention (
    upstream_id INTEGER NOT NULL,
    commit_id INTEGER NOT NULL REFERENCES commit_record (id),
    pull INTEGER,
    sha TEXT,
    kind INTEGER NOT NULL
);
CREATE INDEX rank_mention_by_pull ON rank_mention (upstream_id, pull) WHERE pull IS NOT NULL;
CREATE INDEX rank_mention_by_sha ON rank_mention (upstream_id, substr(sha, 1, 7)) WHERE sha IS NOT NULL;
