-- What posting an app's events takes beside its URL. A lane is an app's events in order: due_at says when somebody is to look
-- after it, a claim moves it to the end of a lease and makes a new lease_token. A secret is made when it is first needed.

CREATE TABLE webhooks (
    app_id                     TEXT    NOT NULL PRIMARY KEY REFERENCES apps (id) ON DELETE CASCADE,
    sealed_secret              BLOB,
    sealed_previous_secret     BLOB,
    previous_secret_expires_at INTEGER,
    failing_since              INTEGER,
    disabled_reason            TEXT CHECK (disabled_reason IN ('gone', 'failing')),
    due_at                     INTEGER,
    lease_token                INTEGER NOT NULL DEFAULT 0,
    claimed                    INTEGER NOT NULL DEFAULT 0,
    CHECK ((sealed_previous_secret IS NULL) = (previous_secret_expires_at IS NULL))
) STRICT;

CREATE INDEX webhooks_by_due ON webhooks (due_at) WHERE due_at IS NOT NULL;

INSERT INTO webhooks (app_id) SELECT id FROM apps WHERE webhook_url IS NOT NULL AND deleted_at IS NULL;
