-- no-transaction
-- Of an app that has thousands of due sends the next ones are found without a look at the others (CONTRACT 14).
CREATE INDEX CONCURRENTLY waiting_sends_in_turns ON sends (app_id, waits_until, id) WHERE waits_until IS NOT NULL;
