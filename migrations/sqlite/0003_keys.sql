CREATE TABLE api_keys (
    id           TEXT    NOT NULL PRIMARY KEY,
    app_id       TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    name         TEXT    NOT NULL,
    scope        TEXT    NOT NULL CHECK (scope IN ('subscribe_only', 'notify', 'full')),
    hash         BLOB    NOT NULL UNIQUE,
    last_used_at INTEGER,
    created_at   INTEGER NOT NULL
) STRICT;

CREATE INDEX api_keys_by_app ON api_keys (app_id, created_at, id);

-- Events outlive their key, so they repeat what is shown of it.
CREATE TABLE key_events (
    id         TEXT    NOT NULL PRIMARY KEY,
    app_id     TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    event      TEXT    NOT NULL CHECK (event IN ('created', 'deleted')),
    key_id     TEXT    NOT NULL,
    key_name   TEXT    NOT NULL,
    key_scope  TEXT    NOT NULL,
    actor_kind TEXT    NOT NULL CHECK (actor_kind IN ('user', 'api_key')),
    actor_id   TEXT    NOT NULL,
    actor_name TEXT    NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX key_events_by_app ON key_events (app_id, created_at, id);
