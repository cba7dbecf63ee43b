-- Schema version 8: GPUs and network interfaces of the host of a run. What the columns mean: storage/format.md.

CREATE TABLE run_hardware (
    run          INTEGER NOT NULL REFERENCES run (id),
    place        INTEGER NOT NULL,
    kind         TEXT    NOT NULL CHECK (kind IN ('gpu', 'nic')),
    name         TEXT    NOT NULL,
    bits_per_s   REAL,
    memory_bytes REAL,
    PRIMARY KEY (run, place)
) WITHOUT ROWID;

CREATE VIEW hardware_list AS
SELECT run_id, place, kind, name, bits_per_s, memory_bytes
FROM run_hardware JOIN run ON run.id = run_hardware.run;
