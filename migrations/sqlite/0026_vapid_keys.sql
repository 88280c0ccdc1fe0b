-- Several VAPID keys in an app (CONTRACT 16): apps has the primary one, and this table the others.

-- The primary key's number. An app counts its keys from 0 on, and gives no number twice.
ALTER TABLE apps ADD COLUMN vapid_key INTEGER NOT NULL DEFAULT 0;
ALTER TABLE apps ADD COLUMN last_vapid_key INTEGER NOT NULL DEFAULT 0;
-- When the primary key was made or imported; NULL for the one that was made with the app.
ALTER TABLE apps ADD COLUMN vapid_key_created_at INTEGER;

CREATE TABLE vapid_keys (
    app_id             TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    number             INTEGER NOT NULL,
    -- As in apps: the point on P-256, and what is encrypted with the encryption key.
    public_key         BLOB    NOT NULL,
    sealed_private_key BLOB    NOT NULL,
    created_at         INTEGER NOT NULL,
    PRIMARY KEY (app_id, number)
) STRICT, WITHOUT ROWID;

-- The number of the key that the subscription was made with.
ALTER TABLE subscriptions ADD COLUMN vapid_key INTEGER NOT NULL DEFAULT 0;

-- How many have each key but the app's first: that one has the others.
CREATE INDEX subscriptions_by_vapid_key ON subscriptions (app_id, vapid_key)
    WHERE position IS NOT NULL AND vapid_key > 0;

-- What happens to VAPID keys is recorded with what happens to API keys. SQLite cannot change a CHECK, so the table is made anew, with
-- what `0003_api_keys.sql` says of it.
CREATE TABLE new_key_events (
    id         TEXT    NOT NULL PRIMARY KEY,
    app_id     TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    event      TEXT    NOT NULL CHECK (event IN ('created', 'deleted', 'vapid_created', 'vapid_imported',
                                                 'vapid_primary', 'vapid_exported', 'vapid_deleted')),
    key_id     TEXT    NOT NULL,
    key_name   TEXT    NOT NULL,
    key_scope  TEXT    NOT NULL,
    actor_kind TEXT    NOT NULL CHECK (actor_kind IN ('user', 'api_key')),
    actor_id   TEXT    NOT NULL,
    actor_name TEXT    NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

INSERT INTO new_key_events (id, app_id, event, key_id, key_name, key_scope, actor_kind, actor_id, actor_name, created_at)
SELECT id, app_id, event, key_id, key_name, key_scope, actor_kind, actor_id, actor_name, created_at FROM key_events;

DROP TABLE key_events;
ALTER TABLE new_key_events RENAME TO key_events;

CREATE INDEX key_events_by_app ON key_events (app_id, created_at, id);
