-- Who took what was sent to them (CONTRACT 12), and subscriptions by their time.

-- Of each 4,096 positions, on which day each last took a send, and which did not take their last one: for each day 4 bytes (days since
-- 1970-01-01; the largest number for those who missed the last one), 2 bytes for the length of what follows, and the positions as in
-- tag_positions. It is written after sends have finished, and never shrinks by itself: a position that nobody has any more is asked for
-- by nobody, and the next broadcast drops it.
CREATE TABLE reach (
    app_id  TEXT COLLATE "C" NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    block   BIGINT NOT NULL,
    answers BYTEA  NOT NULL,
    PRIMARY KEY (app_id, block)
);

-- Whom the send is for, as JSON, from its acceptance until it is finished and taken over into reach.
ALTER TABLE sends ADD COLUMN included TEXT;

-- The finished ones that are still to be taken over.
CREATE INDEX unrecorded_sends ON sends (finished_at, id) WHERE included IS NOT NULL AND finished_at IS NOT NULL;

-- The list of an app's subscriptions, newest first.
CREATE INDEX subscriptions_by_app ON subscriptions (app_id, created_at, public_id);
