-- What recipients did with the notifications of a send (CONTRACT 15).

-- Recipients whose browser reported it, each once for a token.
ALTER TABLE sends ADD COLUMN displayed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sends ADD COLUMN clicked BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sends ADD COLUMN dismissed BIGINT NOT NULL DEFAULT 0;
-- Of clicked, how many clicked which button first: a JSON object; NULL for none.
ALTER TABLE sends ADD COLUMN clicks_by_action TEXT;
-- When the webhook was last told of these, and when it is to be told of those that are new; NULL when none are.
ALTER TABLE sends ADD COLUMN engagement_told_at BIGINT;
ALTER TABLE sends ADD COLUMN engagement_due_at BIGINT;

ALTER TABLE daily_counts ADD COLUMN displayed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE daily_counts ADD COLUMN clicked BIGINT NOT NULL DEFAULT 0;
ALTER TABLE daily_counts ADD COLUMN dismissed BIGINT NOT NULL DEFAULT 0;

-- Who is counted already, so that nobody is counted twice, while tokens of that hour are good: subscriptions.id, in blocks as those of
-- tag_positions.
CREATE TABLE engaged_recipients (
    send_id    TEXT COLLATE "C" NOT NULL REFERENCES sends (id) ON DELETE CASCADE,
    -- displayed, clicked or dismissed.
    engagement TEXT   NOT NULL,
    -- In which the messages were made, counted from 1970.
    hour       BIGINT NOT NULL,
    block      BIGINT NOT NULL,
    recipients BYTEA  NOT NULL,
    PRIMARY KEY (send_id, engagement, hour, block)
);

CREATE INDEX engaged_recipients_by_hour ON engaged_recipients (hour);
