-- Accounts, their sessions, and how much of its monthly quota each has used.
--
-- In every table: columns named *_at are moments in Unix milliseconds; a column that is NULL has not happened or was not given;
-- ids are the texts that the API shows, with their prefix, compared byte by byte whatever the database's language is.

-- An account logs in with a password, through GitHub, or with both.
-- A deleted account loses its address, password and sessions at once, with the mark; the row stays until its apps are removed.
CREATE TABLE accounts (
    id            TEXT    COLLATE "C" NOT NULL PRIMARY KEY,
    -- The address as its owner wrote it; empty when the account is deleted.
    email         TEXT    NOT NULL,
    -- The address in the form in which two are compared. A deleted account's id takes its place, so that the address is free.
    email_folded  TEXT    NOT NULL UNIQUE,
    -- An argon2 hash in PHC form; NULL for who has no password.
    password_hash TEXT,
    -- GitHub's number of the user who is linked.
    github_id     BIGINT,
    plan          TEXT    NOT NULL CHECK (plan IN ('free', 'pro')),
    created_at    BIGINT  NOT NULL,
    deleted_at    BIGINT
);

CREATE UNIQUE INDEX accounts_by_github_id ON accounts (github_id) WHERE github_id IS NOT NULL;
CREATE INDEX deleted_accounts ON accounts (deleted_at) WHERE deleted_at IS NOT NULL;

-- A session is a browser that is logged in. The database knows only the hash of the token that the cookie holds.
CREATE TABLE sessions (
    token_hash BYTEA   NOT NULL PRIMARY KEY,
    account_id TEXT    COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- What the browser calls itself (User-Agent), by which people recognise their sessions.
    browser    TEXT,
    created_at BIGINT  NOT NULL,
    expires_at BIGINT  NOT NULL
);

CREATE INDEX sessions_by_account ON sessions (account_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

-- How many recipients the sends of an account had in a month. Accepting a send adds to it, under the condition that the plan's
-- limit is not passed.
CREATE TABLE monthly_usage (
    account_id TEXT    COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    -- The months since the year 0: year * 12 + month - 1.
    month      BIGINT  NOT NULL,
    recipients BIGINT  NOT NULL,
    PRIMARY KEY (account_id, month)
);
