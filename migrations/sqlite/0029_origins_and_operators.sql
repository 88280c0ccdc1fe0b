-- From which sites browsers subscribe, and who runs the server.

-- Whose pages have registered subscriptions, which browsers name as the sender: a JSON array of at most 3 origins, the last new one
-- first.
ALTER TABLE apps ADD COLUMN origins TEXT NOT NULL DEFAULT '[]';
-- 1 for who may see all accounts in the dashboard, and change their plans.
ALTER TABLE accounts ADD COLUMN is_operator INTEGER NOT NULL DEFAULT 0 CHECK (is_operator IN (0, 1));
