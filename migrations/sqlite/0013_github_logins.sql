-- An account may belong to somebody at GitHub.

ALTER TABLE accounts ADD COLUMN github_id INTEGER;

CREATE UNIQUE INDEX accounts_by_github_id ON accounts (github_id) WHERE github_id IS NOT NULL;

-- Logins on their way through GitHub: each is good once, for the browser that began it, until it expires.
CREATE TABLE github_logins (
    state_hash    BLOB    NOT NULL PRIMARY KEY,
    browser_hash  BLOB    NOT NULL,
    pkce_verifier TEXT    NOT NULL,
    expires_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX github_logins_by_end ON github_logins (expires_at);
