-- Models: what a registry, the user's models folder or a local server says of them.

-- Bytes as they came, by their sha256: manifests, parameters, templates, configurations,
-- and the library's pages. Compressed (zstd).
CREATE TABLE model_blob (
    digest BLOB PRIMARY KEY,
    bytes INTEGER NOT NULL,
    content BLOB NOT NULL
) WITHOUT ROWID;

-- Looks at a model's tag, newest last. A tag that has gone has a row without a manifest.
CREATE TABLE model_seen (
    id INTEGER PRIMARY KEY,
    -- In full: `registry.ollama.ai/library/gemma4:26b`.
    name TEXT NOT NULL,
    -- `registry`, or `installed` on this machine.
    place TEXT NOT NULL,
    -- The sha256 of the manifest's bytes.
    manifest BLOB,
    observed INTEGER NOT NULL,
    receipt_id INTEGER NOT NULL REFERENCES receipt (id)
);
CREATE INDEX model_by_name ON model_seen (name, place, id);

-- What a manifest is made of; its configuration is the first.
CREATE TABLE model_layer (
    manifest BLOB NOT NULL,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    digest BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (manifest, position)
) WITHOUT ROWID;

-- What a transport says of the model that a manifest names, parsed.
CREATE TABLE model_reading (
    manifest BLOB NOT NULL,
    -- `registry`, `folder` or `server`.
    transport TEXT NOT NULL,
    receipt_id INTEGER NOT NULL REFERENCES receipt (id),
    -- A JSON object; null where the model brings no parameters.
    params TEXT,
    format TEXT,
    family TEXT,
    renderer TEXT,
    parser TEXT,
    requires TEXT,
    PRIMARY KEY (manifest, transport)
) WITHOUT ROWID;
