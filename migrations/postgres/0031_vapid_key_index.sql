-- no-transaction
-- How many subscriptions have each VAPID key but the app's first, which has the others (CONTRACT 16).
CREATE INDEX CONCURRENTLY subscriptions_by_vapid_key ON subscriptions (app_id, vapid_key)
    WHERE position IS NOT NULL AND vapid_key > 0;
