-- Subscriptions whose push service refused the last messages, one row each: enough of them in a row, and the subscription is
-- deactivated (CONTRACT 7). Any other outcome removes the row, so a delivery that goes well writes none.
CREATE TABLE refusals (
    subscription_id BIGINT  NOT NULL PRIMARY KEY,
    app_id          TEXT    COLLATE "C" NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    -- For which the subscription would be deactivated: 'key_mismatch' while every refusal was one.
    reason          TEXT    NOT NULL CHECK (reason IN ('key_mismatch', 'refused')),
    -- How many sends were refused one after the other, and on how many days (UTC).
    sends           BIGINT  NOT NULL,
    days            BIGINT  NOT NULL,
    -- The last of these days, since 1970-01-01.
    last_day        BIGINT  NOT NULL,
    FOREIGN KEY (app_id, subscription_id) REFERENCES subscriptions (app_id, id) ON DELETE CASCADE
);

-- Whether an app has any.
CREATE INDEX refusals_by_app ON refusals (app_id);
