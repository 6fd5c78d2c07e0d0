-- What leaves it uncertain whether a window is whole or true: a cap of a host that was
-- hit, or two transports that disagree. One that was settled later keeps its row.
CREATE TABLE window_doubt (
    id INTEGER PRIMARY KEY,
    upstream_id INTEGER NOT NULL REFERENCES upstream (id),
    base BLOB NOT NULL,
    head BLOB NOT NULL,
    kind TEXT NOT NULL,
    detail TEXT NOT NULL,
    seen INTEGER NOT NULL,
    settled INTEGER,
    receipt_id INTEGER NOT NULL REFERENCES receipt (id)
);
CREATE INDEX window_doubt_by_ends ON window_doubt (upstream_id, base, head) WHERE settled IS NULL;
