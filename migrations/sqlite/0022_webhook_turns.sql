-- Whether an app's receiver was slow to answer last time: it waits for a place among the slow.

ALTER TABLE webhooks ADD COLUMN slow INTEGER NOT NULL DEFAULT 0;

-- An attempt that the owner asked for and that was not made yet, and how many such were made. They stand beside the attempts
-- that use up retries.

ALTER TABLE webhook_events ADD COLUMN resend_at INTEGER;
ALTER TABLE webhook_events ADD COLUMN resends INTEGER NOT NULL DEFAULT 0;

CREATE INDEX webhook_events_resend ON webhook_events (app_id) WHERE resend_at IS NOT NULL;

-- What the attempt was signed with, for its owner to see: the header's value.

ALTER TABLE webhook_attempts ADD COLUMN signature TEXT NOT NULL DEFAULT '';
