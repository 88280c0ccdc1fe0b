-- The API keys of apps, and what happened to them.

-- A key is known by a hash, keyed with a pepper that is not in the database.
CREATE TABLE api_keys (
    id           TEXT    COLLATE "C" NOT NULL PRIMARY KEY,
    app_id       TEXT    COLLATE "C" NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    name         TEXT    NOT NULL,
    scope        TEXT    NOT NULL CHECK (scope IN ('subscribe_only', 'notify', 'full')),
    hash         BYTEA   NOT NULL UNIQUE,
    -- Written within about a second of the use, for many keys together: the server writes uses every 250 ms.
    last_used_at BIGINT,
    created_at   BIGINT  NOT NULL
);

CREATE INDEX api_keys_by_app ON api_keys (app_id, created_at, id);

-- Who made or deleted which key. An event outlives its key and its actor, so it repeats what is shown of them.
CREATE TABLE key_events (
    id         TEXT    COLLATE "C" NOT NULL PRIMARY KEY,
    app_id     TEXT    COLLATE "C" NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    event      TEXT    NOT NULL CHECK (event IN ('created', 'deleted')),
    key_id     TEXT    COLLATE "C" NOT NULL,
    key_name   TEXT    NOT NULL,
    key_scope  TEXT    NOT NULL,
    -- Whether actor_id is an account's id or an API key's; actor_name is the account's address or the key's name.
    actor_kind TEXT    NOT NULL CHECK (actor_kind IN ('user', 'api_key')),
    actor_id   TEXT    NOT NULL,
    actor_name TEXT    NOT NULL,
    created_at BIGINT  NOT NULL
);

CREATE INDEX key_events_by_app ON key_events (app_id, created_at, id);
