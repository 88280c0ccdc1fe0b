-- An app is a site of an account: it has its own VAPID keys, API keys and subscriptions.
-- A deleted app is gone for everybody at once, with the mark; its rows are removed in small transactions afterwards.
CREATE TABLE apps (
    id                   TEXT    COLLATE "C" NOT NULL PRIMARY KEY,
    account_id           TEXT    COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name                 TEXT    NOT NULL,
    -- The point on P-256, uncompressed: 65 bytes.
    vapid_public_key     BYTEA   NOT NULL,
    -- Encrypted with the encryption key, which is not in the database.
    sealed_private_key   BYTEA   NOT NULL,
    webhook_url          TEXT,
    -- The number of the app's subscriptions that have a position: limits and sends to everyone need it without counting.
    active_subscriptions BIGINT  NOT NULL DEFAULT 0 CHECK (active_subscriptions >= 0),
    -- The number of those that have none, which statistics show without counting them. Whoever gives a subscription a position or
    -- takes it away changes both in the same transaction.
    deactivated_subscriptions BIGINT NOT NULL DEFAULT 0,
    -- The position that the latest activation of a subscription took; it never goes down.
    last_position        BIGINT  NOT NULL DEFAULT 0,
    created_at           BIGINT  NOT NULL,
    deleted_at           BIGINT,
    -- When the app's account went to whoever has proven its address. Until its owner has kept or deleted what was made before, the
    -- app's keys are unknown, its jobs are held and its outbox rests; NULL when nothing is left to decide.
    review_since         BIGINT
);

CREATE INDEX apps_by_account ON apps (account_id, created_at, id);
CREATE INDEX deleted_apps ON apps (deleted_at) WHERE deleted_at IS NOT NULL;
