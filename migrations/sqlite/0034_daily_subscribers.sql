-- How an app's audience grew and shrank, by UTC day (the days since 1970-01-01): each activation, and each end of an active subscription.
-- Who writes here has locked the app, unlike who writes daily_counts.
CREATE TABLE daily_subscribers (
    app_id TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    day    INTEGER NOT NULL,
    gained INTEGER NOT NULL,
    lost   INTEGER NOT NULL,
    PRIMARY KEY (app_id, day)
) STRICT, WITHOUT ROWID;

-- Who was there before counts on the days when its row was made and ended: who came back in between was never gone.
INSERT INTO daily_subscribers (app_id, day, gained, lost)
SELECT app_id, day, SUM(gained), SUM(lost)
FROM (SELECT app_id, created_at / 86400000 AS day, 1 AS gained, 0 AS lost FROM subscriptions
      UNION ALL
      SELECT app_id, deactivated_at / 86400000, 0, 1 FROM subscriptions WHERE deactivated_at IS NOT NULL)
GROUP BY app_id, day;
