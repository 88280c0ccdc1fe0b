-- Whether an app's receiver was slow to answer last time: it waits for a place among the slow.

ALTER TABLE webhooks ADD COLUMN slow INTEGER NOT NULL DEFAULT 0;
