-- A subscription is active while it has a position. Every activation takes the app's next one, so the positions up to the
-- app's last one at some moment are those that were active then and still are: whoever comes back has a higher position.
-- Numbers are never used again: pages and retries in flight refer to them.

CREATE TABLE subscriptions (
    id                  INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    public_id           TEXT    NOT NULL UNIQUE,
    app_id              TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    endpoint            TEXT    NOT NULL,
    endpoint_hash       BLOB    NOT NULL,
    p256dh              BLOB    NOT NULL,
    auth                BLOB    NOT NULL,
    platform            TEXT,
    position            INTEGER,
    deactivated_at      INTEGER,
    deactivation_reason TEXT CHECK (deactivation_reason IN ('expired', 'unsubscribed')),
    created_at          INTEGER NOT NULL,
    updated_at          INTEGER NOT NULL,
    UNIQUE (app_id, endpoint_hash),
    CHECK ((position IS NULL) = (deactivated_at IS NOT NULL)),
    CHECK ((position IS NULL) = (deactivation_reason IS NOT NULL))
) STRICT;

CREATE UNIQUE INDEX active_subscriptions ON subscriptions (app_id, position) WHERE position IS NOT NULL;
