-- Derived: the default events of every commit, in the commit's own order of paths and
-- lines. Made anew when the extractors change.
CREATE TABLE default_event (
    id INTEGER PRIMARY KEY,
    upstream_id INTEGER NOT NULL REFERENCES upstream (id),
    commit_id INTEGER NOT NULL REFERENCES commit_record (id),
    extractor TEXT NOT NULL,
    knob TEXT NOT NULL,
    scope TEXT NOT NULL,
    -- Null where the knob was not there before, or has gone.
    old TEXT,
    new TEXT,
    path TEXT NOT NULL,
    line INTEGER NOT NULL,
    old_path TEXT,
    old_line INTEGER,
    -- How the value comes about, as JSON.
    how TEXT NOT NULL,
    -- Other spellings of the knob, as a JSON array.
    names TEXT NOT NULL
);
CREATE INDEX default_event_by_commit ON default_event (commit_id);
CREATE INDEX default_event_by_upstream ON default_event (upstream_id);

-- Derived: which spellings stood beside which knob in any version.
CREATE TABLE knob_name (
    upstream_id INTEGER NOT NULL REFERENCES upstream (id),
    knob TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (upstream_id, knob, name)
) WITHOUT ROWID;
