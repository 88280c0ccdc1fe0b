-- A deleted account is gone at once: its address, password and sessions go with the mark. Its apps are removed like other
-- deleted apps, and what is left of the account after them.

ALTER TABLE accounts ADD COLUMN deleted_at INTEGER;

CREATE INDEX deleted_accounts ON accounts (deleted_at) WHERE deleted_at IS NOT NULL;
