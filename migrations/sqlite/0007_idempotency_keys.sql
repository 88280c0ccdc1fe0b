-- What an accepted send answered, so that the same request again within a day gets the same answer and sends nothing.

CREATE TABLE idempotency_keys (
    app_id       TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    path         TEXT    NOT NULL,
    key          TEXT    NOT NULL,
    request_hash BLOB    NOT NULL,
    send_id      TEXT    NOT NULL,
    queued       INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    PRIMARY KEY (app_id, path, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_time ON idempotency_keys (created_at);
