-- How many sends of each app were accepted in its current window of a minute, or in the last one. A window opens with the first send
-- that is counted in it; the next send after its end begins another in its row.
CREATE TABLE send_windows (
    app_id    TEXT    COLLATE "C" NOT NULL PRIMARY KEY REFERENCES apps (id) ON DELETE CASCADE,
    opened_at BIGINT  NOT NULL,
    sends     BIGINT  NOT NULL
);
