-- How an app's audience grew and shrank, by UTC day (the days since 1970-01-01): each activation, and each end of an active subscription.
-- Who writes here has locked the app, unlike who writes daily_counts.
CREATE TABLE daily_subscribers (
    app_id TEXT   COLLATE "C" NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    day    BIGINT NOT NULL,
    gained BIGINT NOT NULL,
    lost   BIGINT NOT NULL,
    PRIMARY KEY (app_id, day)
);

-- Who was there before counts on the days when its row was made and ended: who came back in between was never gone.
INSERT INTO daily_subscribers (app_id, day, gained, lost)
SELECT app_id, day, SUM(gained), SUM(lost)
FROM (SELECT app_id, created_at / 86400000 AS day, 1 AS gained, 0 AS lost FROM subscriptions
      UNION ALL
      SELECT app_id, deactivated_at / 86400000, 0, 1 FROM subscriptions WHERE deactivated_at IS NOT NULL) AS counted
GROUP BY app_id, day;
