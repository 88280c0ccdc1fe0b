-- last_position is the number that the latest activation of a subscription took.

CREATE TABLE apps (
    id                   TEXT    NOT NULL PRIMARY KEY,
    account_id           TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name                 TEXT    NOT NULL,
    vapid_public_key     BLOB    NOT NULL,
    sealed_private_key   BLOB    NOT NULL,
    webhook_url          TEXT,
    active_subscriptions INTEGER NOT NULL DEFAULT 0 CHECK (active_subscriptions >= 0),
    last_position        INTEGER NOT NULL DEFAULT 0,
    created_at           INTEGER NOT NULL
) STRICT;

CREATE INDEX apps_by_account ON apps (account_id, created_at, id);
