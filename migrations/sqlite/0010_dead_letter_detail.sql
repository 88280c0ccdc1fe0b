-- What the push service or the connection said of the last failure: one line of at most 300 characters; NULL when nothing was.
ALTER TABLE dead_letters ADD COLUMN detail TEXT;
