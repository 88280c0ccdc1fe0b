-- The servers that have the database open. Each writes its row every 10 seconds and removes it when it ends; whose row is 30 seconds
-- old is gone. Copying the database asks for them: connections tell nothing behind a pooler.
CREATE TABLE processes (
    id      TEXT        COLLATE "C" NOT NULL PRIMARY KEY,
    -- By PostgreSQL's clock, which all of them share.
    seen_at TIMESTAMPTZ NOT NULL
);
