-- Whom a subscription belongs to, and what it cares for (CONTRACT 12).

-- The id that the site gave to the user; NULL when nobody is logged in.
ALTER TABLE subscriptions ADD COLUMN user_id TEXT COLLATE "C";
-- A JSON array of texts, in their order and each once; NULL without any.
ALTER TABLE subscriptions ADD COLUMN tags TEXT;
-- BCP 47, and an IANA name, as the browser gave them.
ALTER TABLE subscriptions ADD COLUMN lang TEXT;
ALTER TABLE subscriptions ADD COLUMN time_zone TEXT;

CREATE INDEX subscriptions_by_user ON subscriptions (app_id, user_id, id) WHERE user_id IS NOT NULL;

-- Which active subscriptions have a tag, by position. Whoever changes the tags or the position of a subscription changes these rows in
-- the same transaction. A block has the positions from block * 4,096 on: as a sorted list of offsets of 2 bytes each (little-endian)
-- while these are fewer than 512 bytes, else as a bit map of 512 bytes.
CREATE TABLE tag_positions (
    app_id    TEXT COLLATE "C" NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    tag       TEXT COLLATE "C" NOT NULL,
    block     BIGINT NOT NULL,
    positions BYTEA   NOT NULL,
    PRIMARY KEY (app_id, tag, block)
);

-- The recipients of a send to a part of the audience, as in tag_positions, from its acceptance to its removal. Its jobs have no
-- up_to_position: their recipients are a JSON object {"after": …, "up_to": …}.
CREATE TABLE send_positions (
    send_id   TEXT COLLATE "C" NOT NULL REFERENCES sends (id) ON DELETE CASCADE,
    block     BIGINT NOT NULL,
    positions BYTEA   NOT NULL,
    PRIMARY KEY (send_id, block)
);

-- With which a site proves who its users are, encrypted like the app's private key; the one before it holds until it ends.
ALTER TABLE apps ADD COLUMN sealed_identity_secret BYTEA;
ALTER TABLE apps ADD COLUMN sealed_previous_identity_secret BYTEA;
ALTER TABLE apps ADD COLUMN previous_identity_secret_expires_at BIGINT;

-- Those of a subscription that is erased are found by it.
CREATE INDEX dead_letters_by_subscription ON dead_letters (subscription_id);
