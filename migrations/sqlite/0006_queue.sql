-- A job is a page of a send: the active subscriptions with after_position < position <= up_to_position, or a JSON array of
-- subscription numbers. A claim moves due_at to the end of the lease and makes a new lease_token.
-- Numbers are never used again, or an old lease could match a new job.

CREATE TABLE jobs (
    id             INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    send_id        TEXT    NOT NULL REFERENCES sends (id) ON DELETE CASCADE,
    app_id         TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    after_position INTEGER NOT NULL DEFAULT 0,
    up_to_position INTEGER,
    recipients     TEXT,
    attempt        INTEGER NOT NULL,
    due_at         INTEGER NOT NULL,
    lease_token    INTEGER NOT NULL DEFAULT 0,
    CHECK ((up_to_position IS NULL) <> (recipients IS NULL))
) STRICT;

CREATE INDEX jobs_by_due ON jobs (due_at, id);
CREATE INDEX jobs_by_send ON jobs (send_id);
CREATE INDEX jobs_by_app ON jobs (app_id);

-- A dead letter outlives its subscription, so it repeats what is shown of it.
CREATE TABLE dead_letters (
    id              INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    send_id         TEXT    NOT NULL REFERENCES sends (id) ON DELETE CASCADE,
    app_id          TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    subscription_id TEXT    NOT NULL,
    endpoint        TEXT    NOT NULL,
    reason          TEXT    NOT NULL,
    http_status     INTEGER,
    attempts        INTEGER NOT NULL,
    created_at      INTEGER NOT NULL
) STRICT;

CREATE INDEX dead_letters_by_app ON dead_letters (app_id, created_at, id);
CREATE INDEX dead_letters_by_send ON dead_letters (send_id);
