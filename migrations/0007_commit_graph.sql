-- Nearly every question walks the commit graph: one index holds all that the walk reads,
-- so that the messages beside it stay unread.
DROP INDEX commit_by_date;
CREATE INDEX commit_graph ON commit_record (upstream_id, committed, oid, parents);
