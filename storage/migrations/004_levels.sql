-- Schema version 4: levels of detail over the spans. What the columns mean: storage/format.md.

-- The span_node that the chunk's rows are summed up in; 0: none yet, -1: none, as they are few.
ALTER TABLE span_chunk ADD COLUMN node INTEGER NOT NULL DEFAULT 0;
CREATE INDEX span_chunk_by_node ON span_chunk (run, node);

-- The blob last: reading the columns before it does not touch its overflow pages.
CREATE TABLE span_node (
    id        INTEGER PRIMARY KEY,
    run       INTEGER NOT NULL REFERENCES run (id),
    parent    INTEGER NOT NULL,
    level     INTEGER NOT NULL,
    rows      INTEGER NOT NULL,
    width_ns  INTEGER NOT NULL,
    min_start INTEGER NOT NULL,
    max_end   INTEGER NOT NULL,
    entries   INTEGER NOT NULL,
    sums      BLOB    NOT NULL
);
CREATE INDEX span_node_by_parent ON span_node (run, parent, level);
