-- Webhooks: what posting to an app's URL needs, the events to post, and the attempts that were made.

-- The webhook of an app that has, or had, a URL (apps.webhook_url). It is also the head of the app's outbox, its events that
-- wait, and is claimed like a job (0006): due_at says when somebody is to look at the outbox, a claim moves it to the end of
-- the lease and takes a new lease_token.
CREATE TABLE webhooks (
    app_id                     TEXT    NOT NULL PRIMARY KEY REFERENCES apps (id) ON DELETE CASCADE,
    -- The secret that signs, encrypted with the encryption key; made when it is first needed.
    sealed_secret              BLOB,
    -- The secret before the last rotation, which signs as well until it expires.
    sealed_previous_secret     BLOB,
    previous_secret_expires_at INTEGER,
    -- Since when no attempt has succeeded; after some days of that the webhook is disabled.
    failing_since              INTEGER,
    disabled_reason            TEXT CHECK (disabled_reason IN ('gone', 'failing')),
    -- 1 when the receiver was slow to answer last time: it then waits for a permit among the slow ones.
    slow                       INTEGER NOT NULL DEFAULT 0,
    due_at                     INTEGER,
    claimed                    INTEGER NOT NULL DEFAULT 0,
    lease_token                INTEGER NOT NULL DEFAULT 0,
    CHECK ((sealed_previous_secret IS NULL) = (previous_secret_expires_at IS NULL))
) STRICT;

CREATE INDEX webhooks_by_due ON webhooks (due_at) WHERE due_at IS NOT NULL;

-- An event, written in the transaction that makes it true. It waits as long as it has a due_at.
CREATE TABLE webhook_events (
    -- Only tells older from newer: events leave by due_at, and no order is promised.
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    public_id  TEXT    NOT NULL UNIQUE,
    app_id     TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    type       TEXT    NOT NULL CHECK (type IN ('delivery.results', 'send.completed', 'webhook.test')),
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

CREATE INDEX webhook_events_by_app ON webhook_events (app_id);
CREATE INDEX webhook_events_due ON webhook_events (app_id, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_events_resend ON webhook_events (app_id) WHERE resend_at IS NOT NULL;
CREATE INDEX webhook_events_finished ON webhook_events (id) WHERE due_at IS NULL;

-- What became of an attempt, as the app's owner reads it: the status, or why there was none, and the beginning of the answer.
CREATE TABLE webhook_attempts (
    id          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    app_id      TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    event_id    INTEGER NOT NULL REFERENCES webhook_events (id) ON DELETE CASCADE,
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

CREATE INDEX webhook_attempts_by_app ON webhook_attempts (app_id, id);
CREATE INDEX webhook_attempts_by_event ON webhook_attempts (event_id);
