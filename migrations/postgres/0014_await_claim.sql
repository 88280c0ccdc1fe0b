-- Waits for the claim that holds the job which has been due longest, 250 ms at most: true when it has ended, false when nothing is due
-- or it takes longer.
-- Who waits here comes next, in the order of coming: PostgreSQL queues those who want a row. The lock on the row, if the wait was
-- not too long, lasts until the end of the transaction and keeps nobody from anything for longer than a claim takes.
CREATE FUNCTION await_claim(now BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql SET lock_timeout = '250ms' AS $$
DECLARE due BIGINT;
BEGIN
    SELECT id INTO due FROM jobs WHERE held = 0 AND due_at <= now ORDER BY due_at, id LIMIT 1;
    IF due IS NULL THEN
        RETURN FALSE;
    END IF;
    PERFORM FROM jobs WHERE id = due FOR NO KEY UPDATE;
    RETURN TRUE;
EXCEPTION WHEN lock_not_available THEN
    RETURN FALSE;
END $$;
