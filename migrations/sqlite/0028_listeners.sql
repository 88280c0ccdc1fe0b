-- Who listens to an app's events as they are written, and the events for them.

-- A listener: a response that streams. The process that has it renews it, and removes it in the end; once it has expired it is none.
CREATE TABLE listeners (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    app_id     TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX listeners_by_app ON listeners (app_id, expires_at);
CREATE INDEX listeners_by_end ON listeners (expires_at);

-- An event of an app that has listeners, as in webhook_events. It is kept until all of them have surely read it.
CREATE TABLE heard_events (
    -- In the order in which the app's transactions were committed: they write one after the other.
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    public_id  TEXT    NOT NULL,
    app_id     TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    type       TEXT    NOT NULL,
    send_id    TEXT,
    content    TEXT    NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX heard_events_by_app ON heard_events (app_id, id);
CREATE INDEX heard_events_by_age ON heard_events (created_at);
