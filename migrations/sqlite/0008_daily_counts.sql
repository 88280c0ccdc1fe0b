-- What an app sent by UTC day of acceptance, counted from 1970-01-01. Kept when sends are purged, so totals are sums of it.

CREATE TABLE daily_counts (
    app_id TEXT    NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    day    INTEGER NOT NULL,
    sends  INTEGER NOT NULL,
    sent   INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (app_id, day)
) STRICT, WITHOUT ROWID;

INSERT INTO daily_counts (app_id, day, sends, sent, failed)
SELECT app_id, created_at / 86400000, COUNT(*), SUM(sent), SUM(failed_expired + failed_other)
FROM sends GROUP BY app_id, created_at / 86400000;
