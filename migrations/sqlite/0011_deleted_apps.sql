-- A deleted app is gone for everybody at once; its rows are removed in small transactions afterwards.

ALTER TABLE apps ADD COLUMN deleted_at INTEGER;

CREATE INDEX deleted_apps ON apps (deleted_at) WHERE deleted_at IS NOT NULL;
