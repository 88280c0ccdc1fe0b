-- Which process's janitor sweeps, and until when it does so without a further word, by the database's clock: one row at most. Unlogged,
-- because after a crash of the database nobody sweeps.
CREATE UNLOGGED TABLE sweep_lease (
    id      BIGINT  NOT NULL PRIMARY KEY CHECK (id = 1),
    -- A number that the janitor has drawn.
    holder  BIGINT  NOT NULL,
    ends_at BIGINT  NOT NULL
);
