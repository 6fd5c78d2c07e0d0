-- Derived: the classes that rules give to commits. The state of the table, with the hash
-- of the rule set, is its row in `derivation`.

CREATE TABLE label_rule (
    id INTEGER PRIMARY KEY,
    class TEXT NOT NULL,
    rule TEXT NOT NULL,
    UNIQUE (class, rule)
);

CREATE TABLE label (
    commit_id INTEGER NOT NULL REFERENCES commit_record (id),
    label_rule_id INTEGER NOT NULL REFERENCES label_rule (id),
    -- The lines that fired the rule, as JSON.
    evidence TEXT NOT NULL,
    PRIMARY KEY (commit_id, label_rule_id)
) WITHOUT ROWID;
CREATE INDEX label_by_rule ON label (label_rule_id, commit_id);
