-- Sends, why their recipients failed, the answers for repeated requests, and the counts per day.

-- A send is an accepted request: a notification and how many recipients it had at that moment. Every recipient ends in exactly
-- one of the five counts, so that recipients is their sum when the send is finished.
CREATE TABLE sends (
    id             TEXT    NOT NULL PRIMARY KEY,
    app_id         TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    title          TEXT    NOT NULL,
    body           TEXT    NOT NULL,
    url            TEXT,
    -- The JSON that browsers get. It repeats title, body and url, which stand beside it for the history, and holds the rest.
    payload        TEXT    NOT NULL,
    -- How long push services keep a message, in seconds (RFC 8030 §5.2).
    ttl            INTEGER NOT NULL,
    urgency        TEXT,
    topic          TEXT,
    recipients     INTEGER NOT NULL,
    -- Taken by a push service.
    sent           INTEGER NOT NULL DEFAULT 0,
    -- The push service knows the subscription no more.
    failed_expired INTEGER NOT NULL DEFAULT 0,
    -- Given up for another reason: each of them is a dead letter.
    failed_other   INTEGER NOT NULL DEFAULT 0,
    -- No longer subscribed when their turn came.
    skipped        INTEGER NOT NULL DEFAULT 0,
    -- Not reached, because the send was cancelled.
    cancelled      INTEGER NOT NULL DEFAULT 0,
    status         TEXT    NOT NULL CHECK (status IN ('queued', 'sending', 'done', 'cancelled')),
    -- Whether actor_id is an account's id or an API key's; actor_name is the account's address or the key's name.
    actor_kind     TEXT    NOT NULL CHECK (actor_kind IN ('user', 'api_key')),
    actor_id       TEXT    NOT NULL,
    actor_name     TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    -- A cancelled send ends when its claimed pages are settled; what they would try again is cancelled.
    cancelled_at   INTEGER,
    finished_at    INTEGER
) STRICT;

CREATE INDEX sends_by_app ON sends (app_id, created_at, id);
-- Those that are old enough to be removed.
CREATE INDEX finished_sends ON sends (created_at, id) WHERE finished_at IS NOT NULL;

-- How many recipients of a send finally failed, by the reason and the host of the push service.
CREATE TABLE send_failures (
    send_id    TEXT    NOT NULL REFERENCES sends (id) ON DELETE CASCADE,
    host       TEXT    NOT NULL,
    reason     TEXT    NOT NULL,
    recipients INTEGER NOT NULL,
    PRIMARY KEY (send_id, host, reason)
) STRICT, WITHOUT ROWID;

-- A dead letter is a recipient that was given up. It outlives its subscription, so it repeats what is shown of it.
CREATE TABLE dead_letters (
    id              INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    send_id         TEXT    NOT NULL REFERENCES sends (id) ON DELETE CASCADE,
    app_id          TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    -- subscriptions.public_id
    subscription_id TEXT    NOT NULL,
    endpoint        TEXT    NOT NULL,
    reason          TEXT    NOT NULL,
    -- The last answer; NULL when there was none.
    http_status     INTEGER,
    attempts        INTEGER NOT NULL,
    created_at      INTEGER NOT NULL
) STRICT;

CREATE INDEX dead_letters_by_app ON dead_letters (app_id, created_at, id);
CREATE INDEX dead_letters_by_send ON dead_letters (send_id);

-- What an accepted request answered, so that the same request again within a day gets the same answer and sends nothing
-- (CONTRACT 6).
CREATE TABLE idempotency_keys (
    app_id       TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    -- The path of the request: one key may name a request of each.
    path         TEXT    NOT NULL,
    key          TEXT    NOT NULL,
    -- Of the body; another body with the same key is a conflict.
    request_hash BLOB    NOT NULL,
    send_id      TEXT    NOT NULL,
    -- The recipients that were answered.
    queued       INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    PRIMARY KEY (app_id, path, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_time ON idempotency_keys (created_at);

-- What an app sent, by the UTC day on which the send was accepted. Rows stay when sends are removed, so totals are sums of them.
CREATE TABLE daily_counts (
    app_id TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    -- The days since 1970-01-01.
    day    INTEGER NOT NULL,
    sends  INTEGER NOT NULL,
    -- Recipients, like failed.
    sent   INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (app_id, day)
) STRICT, WITHOUT ROWID;
