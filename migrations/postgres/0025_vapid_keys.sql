-- Several VAPID keys in an app (CONTRACT 16): apps has the primary one, and this table the others.

-- The primary key's number. An app counts its keys from 0 on, and gives no number twice.
ALTER TABLE apps ADD COLUMN vapid_key BIGINT NOT NULL DEFAULT 0;
ALTER TABLE apps ADD COLUMN last_vapid_key BIGINT NOT NULL DEFAULT 0;
-- When the primary key was made or imported; NULL for the one that was made with the app.
ALTER TABLE apps ADD COLUMN vapid_key_created_at BIGINT;

CREATE TABLE vapid_keys (
    app_id             TEXT   COLLATE "C" NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    number             BIGINT NOT NULL,
    -- As in apps: the point on P-256, and what is encrypted with the encryption key.
    public_key         BYTEA  NOT NULL,
    sealed_private_key BYTEA  NOT NULL,
    created_at         BIGINT NOT NULL,
    PRIMARY KEY (app_id, number)
);

-- The number of the key that the subscription was made with.
ALTER TABLE subscriptions ADD COLUMN vapid_key BIGINT NOT NULL DEFAULT 0;

-- What happens to VAPID keys is recorded with what happens to API keys.
ALTER TABLE key_events DROP CONSTRAINT key_events_event_check;
ALTER TABLE key_events ADD CONSTRAINT key_events_event_check
    CHECK (event IN ('created', 'deleted', 'vapid_created', 'vapid_imported', 'vapid_primary', 'vapid_exported', 'vapid_deleted'));
