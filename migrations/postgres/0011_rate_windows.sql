-- How often client addresses have done what is limited, in their current window of a minute or in the last one. Whichever process is
-- asked counts here, by the database's clock.
--
-- The table is unlogged: a window lasts a minute, so counting must not cost a wait for the disk, and what a crash of the database
-- forgets would soon have been forgotten anyway. Nothing in it needs to be copied or kept.
CREATE UNLOGGED TABLE rate_windows (
    -- What is counted: a limit's name.
    counted   TEXT    COLLATE "C" NOT NULL,
    -- The 4 or 16 bytes of an address, which stand for a network where one is counted together.
    client    BYTEA   NOT NULL,
    opened_at BIGINT  NOT NULL,
    requests  BIGINT  NOT NULL,
    PRIMARY KEY (counted, client)
);

CREATE INDEX rate_windows_by_opening ON rate_windows (opened_at);
