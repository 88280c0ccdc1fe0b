-- Nothing reads when a subscription was last written.
ALTER TABLE subscriptions DROP COLUMN updated_at;
