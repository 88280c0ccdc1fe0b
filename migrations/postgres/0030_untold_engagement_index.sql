-- no-transaction
-- What the webhook is still to be told of (CONTRACT 15).
CREATE INDEX CONCURRENTLY untold_engagement ON sends (engagement_due_at, id) WHERE engagement_due_at IS NOT NULL;
