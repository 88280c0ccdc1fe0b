-- The delivery queue. A job is a page of a send, or the rest of a broadcast that is still to be paged: either the active
-- subscriptions with after_position < position and position <= up_to_position, or those of a list, which is one page. Claiming
-- a broadcast's job makes it the next page and queues the rest as another job. The job that has been due longest comes first.
--
-- Who claims a job holds its lease until due_at, which the claim moves into the future: a page whose process died is due again
-- by itself. Each claim also takes a new lease_token, and only who knows the current one may settle, renew or release the page:
-- who held an earlier lease changes nothing any more. Row numbers are never used again (AUTOINCREMENT), or an old lease could
-- match a new job.
CREATE TABLE jobs (
    id             INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    send_id        TEXT    NOT NULL REFERENCES sends (id) ON DELETE CASCADE,
    app_id         TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    after_position INTEGER NOT NULL DEFAULT 0,
    up_to_position INTEGER,
    -- A JSON array of subscriptions.id.
    recipients     TEXT,
    -- How many attempts were made before this one.
    attempt        INTEGER NOT NULL,
    due_at         INTEGER NOT NULL,
    -- 1 from the claim on until the page is released. Claiming goes by due_at alone; this tells a lease from a wait to those who
    -- cancel a send or repair due times. A claimed job whose due_at has been reached is nobody's.
    claimed        INTEGER NOT NULL DEFAULT 0,
    lease_token    INTEGER NOT NULL DEFAULT 0,
    CHECK ((up_to_position IS NULL) <> (recipients IS NULL))
) STRICT;

CREATE INDEX jobs_by_due ON jobs (due_at, id);
CREATE INDEX jobs_by_send ON jobs (send_id);
-- The first job of an app, without a look at its other jobs: claiming for some apps only goes from app to app.
CREATE INDEX jobs_by_app ON jobs (app_id, due_at, id);
