-- When a send is due, until when, and how fast it goes (CONTRACT 14).

-- When the sender wants it; NULL for at once. What is counted from the acceptance of other sends is counted from here.
ALTER TABLE sends ADD COLUMN send_at INTEGER;
-- The same while it is scheduled, and NULL from its start, cancellation or refusal on. Its status is 'queued' meanwhile, and nothing of
-- it is in the queue.
ALTER TABLE sends ADD COLUMN waits_until INTEGER;
-- Whom it is for while it waits, as JSON: recipients are taken when it is due.
ALTER TABLE sends ADD COLUMN audience TEXT;
-- The code for which it was refused when it was due; then its status is 'done', without recipients.
ALTER TABLE sends ADD COLUMN refused_reason TEXT;
-- When its message is worth nothing any more.
ALTER TABLE sends ADD COLUMN expires_at INTEGER;
-- How many first attempts may begin in 60 s, the earliest time at which the next page of them may be claimed, and that at which the
-- last of those comes that were put off until then.
ALTER TABLE sends ADD COLUMN max_per_minute INTEGER;
ALTER TABLE sends ADD COLUMN next_page_at INTEGER;
ALTER TABLE sends ADD COLUMN last_page_at INTEGER;

CREATE INDEX waiting_sends ON sends (waits_until, id) WHERE waits_until IS NOT NULL;
-- For the history: few sends are one of these, among any number of others.
CREATE INDEX waiting_sends_by_app ON sends (app_id, created_at, id) WHERE waits_until IS NOT NULL;
CREATE INDEX refused_sends_by_app ON sends (app_id, created_at, id) WHERE refused_reason IS NOT NULL;
CREATE INDEX cancelled_sends_by_app ON sends (app_id, created_at, id) WHERE status = 'cancelled';

-- Those that are old enough to be removed: a send is kept from when it was due.
DROP INDEX finished_sends;
CREATE INDEX finished_sends ON sends (COALESCE(send_at, created_at), id) WHERE finished_at IS NOT NULL;
