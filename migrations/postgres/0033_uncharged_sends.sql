-- How many sends of the month cost nothing when they were accepted, to nobody or scheduled: each is kept like any other (CONTRACT 18).
ALTER TABLE monthly_usage ADD COLUMN uncharged_sends BIGINT NOT NULL DEFAULT 0;
