-- What is told of sends that fail for very many (CONTRACT 12), and of subscriptions that were replaced (CONTRACT 5).

-- Who of a send failed and left no dead letter, for it had left 10,000 of them: positions as in tag_positions, from their settlement until
-- the finished send is taken over into reach.
CREATE TABLE send_missed (
    send_id   TEXT    NOT NULL REFERENCES sends (id) ON DELETE CASCADE,
    block     INTEGER NOT NULL,
    positions BLOB    NOT NULL,
    PRIMARY KEY (send_id, block)
) STRICT, WITHOUT ROWID;

-- How many failures of the send were recorded there. Together with the dead letters these are all of them; where they are not, an
-- earlier version has settled some.
ALTER TABLE sends ADD COLUMN missed INTEGER NOT NULL DEFAULT 0;

-- 1 when another subscription that replaces this one has taken over its user. The user stays, so that erasing it finds the subscription,
-- and is neither handed on again nor kept when the subscription comes back.
ALTER TABLE subscriptions ADD COLUMN handed_on INTEGER;
