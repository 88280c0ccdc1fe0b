-- The number of an app's subscriptions without a position, which statistics show without counting them. Whoever gives a
-- subscription a position or takes it away changes it in the same transaction, like apps.active_subscriptions.
ALTER TABLE apps ADD COLUMN deactivated_subscriptions INTEGER NOT NULL DEFAULT 0;

UPDATE apps SET deactivated_subscriptions =
  (SELECT COUNT(*) FROM subscriptions AS s WHERE s.app_id = apps.id AND s.position IS NULL);
