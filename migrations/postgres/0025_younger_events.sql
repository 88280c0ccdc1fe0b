-- The type of an event that is younger than the CHECK of `type`, which SQLite cannot change without making the table anew and with it the
-- attempts that refer to it; `type` is 'send.completed' then. NULL for the others.
ALTER TABLE webhook_events ADD COLUMN younger_type TEXT;
