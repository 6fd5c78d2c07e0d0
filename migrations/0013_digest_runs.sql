-- Runs of `digest --since-last`: what a run tells is recorded before it is told, and that
-- it was told afterwards.
CREATE TABLE digest_run (
    id INTEGER PRIMARY KEY,
    -- The end of the run before; null for the first.
    from_time INTEGER,
    to_time INTEGER NOT NULL,
    -- JSON: each upstream's newest commit row before and at its end.
    after_rows TEXT NOT NULL,
    through_rows TEXT NOT NULL,
    output TEXT,
    -- Of what is written to the output.
    sha256 BLOB,
    done INTEGER
);
