-- More reasons for which a subscription is deactivated. SQLite cannot change a CHECK, so the table is made anew, with what
-- `0004_subscriptions.sql` says of it.
CREATE TABLE new_subscriptions (
    id                  INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    public_id           TEXT    NOT NULL UNIQUE,
    app_id              TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    endpoint            TEXT    NOT NULL,
    endpoint_hash       BLOB    NOT NULL,
    p256dh              BLOB    NOT NULL,
    auth                BLOB    NOT NULL,
    platform            TEXT,
    position            INTEGER,
    deactivated_at      INTEGER,
    deactivation_reason TEXT CHECK
        (deactivation_reason IN ('unsubscribed', 'expired', 'replaced', 'key_mismatch', 'refused')),
    created_at          INTEGER NOT NULL,
    updated_at          INTEGER NOT NULL,
    UNIQUE (app_id, endpoint_hash),
    CHECK ((position IS NULL) = (deactivated_at IS NOT NULL)),
    CHECK ((position IS NULL) = (deactivation_reason IS NOT NULL))
) STRICT;

INSERT INTO new_subscriptions (id, public_id, app_id, endpoint, endpoint_hash, p256dh, auth, platform, position,
                               deactivated_at, deactivation_reason, created_at, updated_at)
SELECT id, public_id, app_id, endpoint, endpoint_hash, p256dh, auth, platform, position,
       deactivated_at, deactivation_reason, created_at, updated_at
FROM subscriptions;

-- Row numbers are never used again, those of rows that are gone included.
DELETE FROM sqlite_sequence WHERE name = 'new_subscriptions';
UPDATE sqlite_sequence SET name = 'new_subscriptions' WHERE name = 'subscriptions';

DROP TABLE subscriptions;
ALTER TABLE new_subscriptions RENAME TO subscriptions;

CREATE UNIQUE INDEX active_subscriptions ON subscriptions (app_id, position) WHERE position IS NOT NULL;
CREATE INDEX deactivated_subscriptions ON subscriptions (app_id, deactivated_at) WHERE position IS NULL;
CREATE INDEX old_subscriptions ON subscriptions (deactivated_at) WHERE position IS NULL;
CREATE INDEX subscriptions_by_app ON subscriptions (app_id, id);
