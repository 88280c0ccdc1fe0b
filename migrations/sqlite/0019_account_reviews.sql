-- What a login through GitHub took over, and its owner has not decided about yet.

-- When the app's account went to whoever has proven its address. Until its owner has kept or deleted what was made before, the
-- app's keys are unknown, its jobs are held and its outbox rests; NULL when nothing is left to decide.
ALTER TABLE apps ADD COLUMN review_since INTEGER;

-- 1 while the job's app is under review: nobody claims it.
ALTER TABLE jobs ADD COLUMN held INTEGER NOT NULL DEFAULT 0;

DROP INDEX jobs_by_due;
CREATE INDEX jobs_by_due ON jobs (due_at, id) WHERE held = 0;

-- The first job of an app that may be claimed, without a look at its other jobs.
DROP INDEX jobs_by_app;
CREATE INDEX jobs_by_app ON jobs (app_id, held, due_at, id);
