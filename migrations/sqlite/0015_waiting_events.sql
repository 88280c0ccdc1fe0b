-- The oldest event of an app that waits: events end after five days, and until then the subscriptions that they name are kept.
CREATE INDEX webhook_events_waiting ON webhook_events (app_id, created_at) WHERE due_at IS NOT NULL;
