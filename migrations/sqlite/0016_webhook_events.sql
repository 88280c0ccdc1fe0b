-- The outbox, in the order of settlement. An event waits as long as it has a due_at. Its content names subscriptions by number:
-- the body is made when it is posted.

CREATE TABLE webhook_events (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    public_id  TEXT    NOT NULL UNIQUE,
    app_id     TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    type       TEXT    NOT NULL CHECK (type IN ('delivery.results', 'send.completed', 'webhook.test')),
    send_id    TEXT,
    content    TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    attempts   INTEGER NOT NULL DEFAULT 0,
    due_at     INTEGER
) STRICT;

CREATE INDEX webhook_events_by_app ON webhook_events (app_id);
CREATE INDEX webhook_events_first ON webhook_events (app_id, id) WHERE due_at IS NOT NULL AND attempts = 0;
CREATE INDEX webhook_events_again ON webhook_events (app_id, due_at) WHERE due_at IS NOT NULL AND attempts > 0;
CREATE INDEX webhook_events_finished ON webhook_events (id) WHERE due_at IS NULL;

-- What became of an attempt, as its owner reads it: the status, or why there was none, and the beginning of the answer.
CREATE TABLE webhook_attempts (
    id          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    app_id      TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    event_id    INTEGER NOT NULL REFERENCES webhook_events (id) ON DELETE CASCADE,
    attempt     INTEGER NOT NULL,
    url         TEXT    NOT NULL,
    http_status INTEGER,
    failure     TEXT,
    answer      TEXT    NOT NULL,
    started_at  INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    CHECK ((http_status IS NULL) = (failure IS NOT NULL))
) STRICT;

CREATE INDEX webhook_attempts_by_app ON webhook_attempts (app_id, id);
CREATE INDEX webhook_attempts_by_event ON webhook_attempts (event_id);
