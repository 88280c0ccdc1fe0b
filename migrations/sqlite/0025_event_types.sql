-- Which types of events there are, the program says alone: another one needs no migration. SQLite drops no CHECK, so the table is made
-- anew, and its attempts with it, which would go with its rows. Both go on with the numbers after those that they have given.

CREATE TABLE new_webhook_events (
    -- Only tells older from newer: events leave by due_at, and no order is promised.
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    public_id  TEXT    NOT NULL UNIQUE,
    app_id     TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    type       TEXT    NOT NULL,
    send_id    TEXT,
    -- JSON that names subscriptions by row number: the body is made of it when the event is posted.
    content    TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    -- Attempts that use up retries. One that the owner asks for does not, and is counted by resends.
    attempts   INTEGER NOT NULL DEFAULT 0,
    due_at     INTEGER,
    -- When the owner asked for an attempt that was not made yet.
    resend_at  INTEGER,
    resends    INTEGER NOT NULL DEFAULT 0
) STRICT;

-- What became of an attempt, as the app's owner reads it: the status, or why there was none, and the beginning of the answer.
CREATE TABLE new_webhook_attempts (
    id          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    app_id      TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    -- The name of the table follows when it is renamed.
    event_id    INTEGER NOT NULL REFERENCES new_webhook_events (id) ON DELETE CASCADE,
    attempt     INTEGER NOT NULL,
    url         TEXT    NOT NULL,
    -- The value of the signature's header.
    signature   TEXT    NOT NULL DEFAULT '',
    http_status INTEGER,
    failure     TEXT,
    answer      TEXT    NOT NULL,
    started_at  INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    CHECK ((http_status IS NULL) = (failure IS NOT NULL))
) STRICT;

INSERT INTO sqlite_sequence (name, seq)
SELECT 'new_' || name, seq FROM sqlite_sequence WHERE name IN ('webhook_events', 'webhook_attempts');

INSERT INTO new_webhook_events
       (id, public_id, app_id, type, send_id, content, created_at, attempts, due_at, resend_at, resends)
SELECT id, public_id, app_id, type, send_id, content, created_at, attempts, due_at, resend_at, resends FROM webhook_events;

INSERT INTO new_webhook_attempts
       (id, app_id, event_id, attempt, url, signature, http_status, failure, answer, started_at, duration_ms)
SELECT id, app_id, event_id, attempt, url, signature, http_status, failure, answer, started_at, duration_ms FROM webhook_attempts;

DROP TABLE webhook_attempts;
DROP TABLE webhook_events;
ALTER TABLE new_webhook_events RENAME TO webhook_events;
ALTER TABLE new_webhook_attempts RENAME TO webhook_attempts;

CREATE INDEX webhook_events_by_app ON webhook_events (app_id);
CREATE INDEX webhook_events_due ON webhook_events (app_id, due_at, id) WHERE due_at IS NOT NULL;
-- The oldest event of an app that waits: events end after five days, and until then the subscriptions that they name are kept.
CREATE INDEX webhook_events_waiting ON webhook_events (app_id, created_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_events_resend ON webhook_events (app_id) WHERE resend_at IS NOT NULL;
CREATE INDEX webhook_events_finished ON webhook_events (id) WHERE due_at IS NULL;
CREATE INDEX webhook_attempts_by_app ON webhook_attempts (app_id, id);
CREATE INDEX webhook_attempts_by_event ON webhook_attempts (event_id);
