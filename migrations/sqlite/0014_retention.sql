-- For finding what is old enough to be removed.

CREATE INDEX finished_sends ON sends (created_at, id) WHERE finished_at IS NOT NULL;
CREATE INDEX old_subscriptions ON subscriptions (deactivated_at) WHERE position IS NULL;
