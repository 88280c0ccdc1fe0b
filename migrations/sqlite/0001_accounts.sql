-- Times are Unix milliseconds, months are counted from year 0.

CREATE TABLE accounts (
    id            TEXT    NOT NULL PRIMARY KEY,
    email         TEXT    NOT NULL,
    email_folded  TEXT    NOT NULL UNIQUE,
    password_hash TEXT,
    plan          TEXT    NOT NULL CHECK (plan IN ('free', 'pro')),
    created_at    INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
    token_hash BLOB    NOT NULL PRIMARY KEY,
    account_id TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX sessions_by_account ON sessions (account_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE TABLE monthly_usage (
    account_id TEXT    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    month      INTEGER NOT NULL,
    recipients INTEGER NOT NULL,
    PRIMARY KEY (account_id, month)
) STRICT;
