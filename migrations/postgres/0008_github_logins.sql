-- Logins on their way through GitHub: each is good once, for the browser that began it, until it expires.
CREATE TABLE github_logins (
    -- SHA-256 of the state that GitHub gives back (RFC 6749 §4.1.1).
    state_hash    BYTEA   NOT NULL PRIMARY KEY,
    -- SHA-256 of the cookie by which the browser is known again.
    browser_hash  BYTEA   NOT NULL,
    -- Proves to GitHub that who redeems the code began the login (RFC 7636).
    pkce_verifier TEXT    NOT NULL,
    expires_at    BIGINT  NOT NULL
);

CREATE INDEX github_logins_by_end ON github_logins (expires_at);
