-- For counting them and for removing old ones.

CREATE INDEX deactivated_subscriptions ON subscriptions (app_id, deactivated_at) WHERE position IS NULL;
