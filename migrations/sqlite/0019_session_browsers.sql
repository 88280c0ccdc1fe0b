-- What the browser calls itself, so that people recognise their sessions.

ALTER TABLE sessions ADD COLUMN browser TEXT;
