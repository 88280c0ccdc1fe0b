CREATE TABLE sends (
    id             TEXT    NOT NULL PRIMARY KEY,
    app_id         TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    title          TEXT    NOT NULL,
    body           TEXT    NOT NULL,
    url            TEXT,
    icon           TEXT,
    badge          TEXT,
    payload        TEXT    NOT NULL,
    ttl            INTEGER NOT NULL,
    urgency        TEXT,
    topic          TEXT,
    recipients     INTEGER NOT NULL,
    sent           INTEGER NOT NULL DEFAULT 0,
    failed_expired INTEGER NOT NULL DEFAULT 0,
    failed_other   INTEGER NOT NULL DEFAULT 0,
    skipped        INTEGER NOT NULL DEFAULT 0,
    cancelled      INTEGER NOT NULL DEFAULT 0,
    status         TEXT    NOT NULL CHECK (status IN ('queued', 'sending', 'done', 'cancelled')),
    actor_kind     TEXT    NOT NULL CHECK (actor_kind IN ('user', 'api_key')),
    actor_id       TEXT    NOT NULL,
    actor_name     TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    finished_at    INTEGER
) STRICT;

CREATE INDEX sends_by_app ON sends (app_id, created_at, id);
