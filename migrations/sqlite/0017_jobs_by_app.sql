-- An app's earliest job is found without looking at its other jobs, or at anybody's.

DROP INDEX jobs_by_app;
CREATE INDEX jobs_by_app ON jobs (app_id, due_at, id);
