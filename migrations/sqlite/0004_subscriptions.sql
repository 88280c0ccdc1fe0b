-- A subscription is a browser that an app may push to: one row per app and endpoint, also after the browser has gone.
--
-- It is active while it has a position. Every activation takes the app's next position, so the positions up to the app's last
-- one at some moment belong to those that were active then and still are: who comes back has a higher position. That is how a
-- send reaches exactly the audience of the moment when it was accepted, without a row per recipient.
--
-- Row numbers (id) are never used again, hence AUTOINCREMENT: retries and events in flight refer to them.
CREATE TABLE subscriptions (
    id                  INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- The id that the API shows.
    public_id           TEXT    NOT NULL UNIQUE,
    app_id              TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    endpoint            TEXT    NOT NULL,
    -- SHA-256 of the endpoint: an endpoint may have 2,048 bytes, which would make a large index.
    endpoint_hash       BLOB    NOT NULL,
    -- The browser's public key (65 bytes) and authentication secret (16 bytes), RFC 8291 §2.
    p256dh              BLOB    NOT NULL,
    auth                BLOB    NOT NULL,
    platform            TEXT,
    position            INTEGER,
    deactivated_at      INTEGER,
    deactivation_reason TEXT CHECK (deactivation_reason IN ('expired', 'unsubscribed')),
    created_at          INTEGER NOT NULL,
    -- When the browser registered last or the row was deactivated: read by nothing but people who look into the database.
    updated_at          INTEGER NOT NULL,
    UNIQUE (app_id, endpoint_hash),
    CHECK ((position IS NULL) = (deactivated_at IS NOT NULL)),
    CHECK ((position IS NULL) = (deactivation_reason IS NOT NULL))
) STRICT;

-- An audience, in pages.
CREATE UNIQUE INDEX active_subscriptions ON subscriptions (app_id, position) WHERE position IS NOT NULL;
-- The number of an app's deactivated subscriptions, and their removal with the app.
CREATE INDEX deactivated_subscriptions ON subscriptions (app_id, deactivated_at) WHERE position IS NULL;
-- Those that were deactivated so long ago that they are removed.
CREATE INDEX old_subscriptions ON subscriptions (deactivated_at) WHERE position IS NULL;
-- The list of an app's subscriptions, newest first.
CREATE INDEX subscriptions_by_app ON subscriptions (app_id, id);
