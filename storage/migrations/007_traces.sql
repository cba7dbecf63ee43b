-- Schema version 7: runs that come from trace files. What the columns mean: storage/format.md.

INSERT INTO span_kind VALUES (14, 'compute'), (15, 'other');

-- What other programs call their spans; a run of ours has no rows in either.
CREATE TABLE span_name (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
CREATE TABLE span_label (
    span INTEGER PRIMARY KEY,
    name INTEGER NOT NULL REFERENCES span_name (id)
);
