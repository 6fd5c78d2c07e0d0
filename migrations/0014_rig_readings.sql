-- What was read of the user's own machine. It cannot be read again as it was.
CREATE TABLE rig_reading (
    id INTEGER PRIMARY KEY,
    -- The rig's name in its file.
    rig TEXT NOT NULL,
    taken INTEGER NOT NULL,
    -- What was found: a JSON object.
    found TEXT NOT NULL
);
CREATE INDEX rig_reading_by_rig ON rig_reading (rig, id);
