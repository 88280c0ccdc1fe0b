-- Recipients of a send that finally failed, by why and at which push service.

CREATE TABLE send_failures (
    send_id    TEXT    NOT NULL REFERENCES sends (id) ON DELETE CASCADE,
    host       TEXT    NOT NULL,
    reason     TEXT    NOT NULL,
    recipients INTEGER NOT NULL,
    PRIMARY KEY (send_id, host, reason)
) STRICT, WITHOUT ROWID;
