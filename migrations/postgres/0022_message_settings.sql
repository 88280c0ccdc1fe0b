-- What an app says of its messages (CONTRACT 13, 15).

-- The site that a click leads to when a message names no address; NULL when the app has none.
ALTER TABLE apps ADD COLUMN site_url TEXT;
-- Whether Apple's push service gets declarative messages, which need the site's address.
ALTER TABLE apps ADD COLUMN declarative BIGINT NOT NULL DEFAULT 0
    CHECK (declarative IN (0, 1) AND (declarative = 0 OR site_url IS NOT NULL));
-- What is measured: off or counts.
ALTER TABLE apps ADD COLUMN tracking TEXT NOT NULL DEFAULT 'off';
