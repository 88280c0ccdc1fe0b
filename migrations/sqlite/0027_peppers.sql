-- Which pepper an API key is hashed with, so that another one can take its place (CONTRACT 1).

-- 8 bytes that follow from the pepper and do not give it away; NULL for keys that are older than this column.
ALTER TABLE api_keys ADD COLUMN pepper_id BLOB;
