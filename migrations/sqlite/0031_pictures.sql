-- Icons and badges that owners have uploaded, which the server hands out (CONTRACT 11).

CREATE TABLE pictures (
    app_id     TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    -- The last part of the picture's address: a hash of the app and the content.
    name       TEXT    NOT NULL,
    -- 1 for the picture with which a new notification of the app begins.
    is_icon    INTEGER NOT NULL DEFAULT 0 CHECK (is_icon IN (0, 1)),
    created_at INTEGER NOT NULL,
    -- A PNG. It comes last, so that the other columns are read without it.
    content    BLOB    NOT NULL,
    PRIMARY KEY (app_id, name)
) STRICT;

CREATE UNIQUE INDEX pictures_by_name ON pictures (name);
