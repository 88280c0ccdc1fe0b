-- A job is claimed while somebody holds its lease: claimed, and due_at not yet reached. A send that is being cancelled ends
-- when its claimed pages are settled; what they would try again is cancelled.

ALTER TABLE jobs ADD COLUMN claimed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sends ADD COLUMN cancelled_at INTEGER;
