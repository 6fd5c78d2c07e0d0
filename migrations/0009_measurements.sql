-- What users measured on their own machines, and the reports that they kept. None of it
-- can be crawled again.

CREATE TABLE observation (
    id INTEGER PRIMARY KEY,
    -- The upstream's name: a measurement may be kept before anything is crawled.
    upstream TEXT NOT NULL,
    recorded INTEGER NOT NULL,
    -- `speed`, `output`, `tolerance`, `table`.
    kind TEXT NOT NULL,
    -- The window's ends as given, and what they meant then; null for a table.
    base TEXT,
    head TEXT,
    base_oid BLOB,
    head_oid BLOB,
    -- What was toggled, and the value that it was set to.
    knob TEXT,
    value TEXT,
    -- The numbers, by kind: a JSON object.
    measured TEXT NOT NULL,
    -- The model, the backend, the load …: a JSON object.
    conditions TEXT NOT NULL,
    -- The file that the numbers came from; its name without directories.
    input_name TEXT,
    input_sha256 BLOB,
    input_bytes INTEGER
);
CREATE INDEX observation_by_upstream ON observation (upstream, id);

-- Single runs: of an arm (`old`, `with`, `without`), or of a version of a table.
CREATE TABLE observation_run (
    observation_id INTEGER NOT NULL REFERENCES observation (id),
    position INTEGER NOT NULL,
    arm TEXT NOT NULL,
    value REAL NOT NULL,
    PRIMARY KEY (observation_id, position)
) WITHOUT ROWID;

CREATE TABLE saved_report (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    saved INTEGER NOT NULL,
    -- What was asked, so that it can be asked again: a JSON object.
    question TEXT NOT NULL,
    -- The hash of each rule set that it was made by: a JSON object.
    rules TEXT NOT NULL,
    -- The version of headwater that made it.
    version TEXT NOT NULL
);

-- The report as it was told, once for each format, and its receipts. Compressed (zstd).
CREATE TABLE saved_text (
    report_id INTEGER NOT NULL REFERENCES saved_report (id),
    format TEXT NOT NULL,
    sha256 BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (report_id, format)
) WITHOUT ROWID;

-- What became of its claims when they were derived anew, newest last.
CREATE TABLE report_check (
    id INTEGER PRIMARY KEY,
    report_id INTEGER NOT NULL REFERENCES saved_report (id),
    checked INTEGER NOT NULL,
    rules TEXT NOT NULL,
    -- A JSON list of claims with what became of each.
    result TEXT NOT NULL
);
CREATE INDEX check_by_report ON report_check (report_id, id);
