-- What an app sent in the last 100 days, by quarter of an hour (those since 1970-01-01) of what daily_counts has by day: every time
-- zone's days begin with one. Older rows are removed; daily_counts stays, and totals are sums of it.
CREATE TABLE recent_counts (
    app_id    TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    quarter   INTEGER NOT NULL,
    sent      INTEGER NOT NULL,
    failed    INTEGER NOT NULL,
    displayed INTEGER NOT NULL,
    clicked   INTEGER NOT NULL,
    dismissed INTEGER NOT NULL,
    PRIMARY KEY (app_id, quarter)
) STRICT, WITHOUT ROWID;

CREATE INDEX recent_counts_by_quarter ON recent_counts (quarter);

-- The same of daily_subscribers.
CREATE TABLE recent_subscribers (
    app_id  TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    quarter INTEGER NOT NULL,
    gained  INTEGER NOT NULL,
    lost    INTEGER NOT NULL,
    PRIMARY KEY (app_id, quarter)
) STRICT, WITHOUT ROWID;

CREATE INDEX recent_subscribers_by_quarter ON recent_subscribers (quarter);

-- What sends that are still kept came to. 8,640,000,000 ms are 100 days.
INSERT INTO recent_counts (app_id, quarter, sent, failed, displayed, clicked, dismissed)
SELECT app_id, COALESCE(send_at, created_at) / 900000 AS quarter, SUM(sent), SUM(failed_expired + failed_other),
       SUM(displayed), SUM(clicked), SUM(dismissed)
FROM sends
WHERE sent + failed_expired + failed_other > 0
  AND COALESCE(send_at, created_at) > unixepoch() * 1000 - 8640000000
GROUP BY app_id, quarter;

-- Who was there before counts when its row was made and ended, as in daily_subscribers.
INSERT INTO recent_subscribers (app_id, quarter, gained, lost)
SELECT app_id, quarter, SUM(gained), SUM(lost)
FROM (SELECT app_id, created_at / 900000 AS quarter, 1 AS gained, 0 AS lost FROM subscriptions
      WHERE created_at > unixepoch() * 1000 - 8640000000
      UNION ALL
      SELECT app_id, deactivated_at / 900000, 0, 1 FROM subscriptions
      WHERE deactivated_at > unixepoch() * 1000 - 8640000000)
GROUP BY app_id, quarter;

-- Of what is no longer kept only the day is known: it counts at the day's noon.
INSERT INTO recent_counts (app_id, quarter, sent, failed, displayed, clicked, dismissed)
SELECT d.app_id, d.day * 96 + 48, d.sent - COALESCE(r.sent, 0), d.failed - COALESCE(r.failed, 0),
       d.displayed - COALESCE(r.displayed, 0), d.clicked - COALESCE(r.clicked, 0), d.dismissed - COALESCE(r.dismissed, 0)
FROM daily_counts AS d
LEFT JOIN (SELECT app_id, quarter / 96 AS day, SUM(sent) AS sent, SUM(failed) AS failed, SUM(displayed) AS displayed,
                  SUM(clicked) AS clicked, SUM(dismissed) AS dismissed
           FROM recent_counts GROUP BY app_id, quarter / 96) AS r ON r.app_id = d.app_id AND r.day = d.day
WHERE d.day > unixepoch() / 86400 - 100 AND d.sent + d.failed > COALESCE(r.sent + r.failed, 0)
ON CONFLICT (app_id, quarter) DO UPDATE
SET sent = recent_counts.sent + excluded.sent, failed = recent_counts.failed + excluded.failed,
    displayed = recent_counts.displayed + excluded.displayed, clicked = recent_counts.clicked + excluded.clicked,
    dismissed = recent_counts.dismissed + excluded.dismissed;

INSERT INTO recent_subscribers (app_id, quarter, gained, lost)
SELECT d.app_id, d.day * 96 + 48, d.gained - COALESCE(r.gained, 0), d.lost - COALESCE(r.lost, 0)
FROM daily_subscribers AS d
LEFT JOIN (SELECT app_id, quarter / 96 AS day, SUM(gained) AS gained, SUM(lost) AS lost
           FROM recent_subscribers GROUP BY app_id, quarter / 96) AS r ON r.app_id = d.app_id AND r.day = d.day
WHERE d.day > unixepoch() / 86400 - 100 AND d.gained + d.lost > COALESCE(r.gained + r.lost, 0)
ON CONFLICT (app_id, quarter) DO UPDATE
SET gained = recent_subscribers.gained + excluded.gained, lost = recent_subscribers.lost + excluded.lost;
