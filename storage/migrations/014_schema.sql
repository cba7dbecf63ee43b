-- Schema version 14, the first that is kept. What the columns mean: storage/format.md. The next version is a further
-- file, 015_….sql, that changes this one's tables.

CREATE TABLE run (
    id              INTEGER PRIMARY KEY,
    run_id          TEXT    NOT NULL UNIQUE,
    experiment      TEXT    NOT NULL,
    algorithm       TEXT    NOT NULL,
    seed            INTEGER NOT NULL,
    workers         INTEGER NOT NULL,
    trainers        INTEGER NOT NULL,
    backend         TEXT    NOT NULL,
    status          TEXT    NOT NULL
                    CHECK (status IN ('queued', 'running', 'finished', 'failed', 'stopped', 'interrupted')),
    started_at      TEXT    NOT NULL,
    clock_origin    INTEGER NOT NULL,
    planned_steps   INTEGER NOT NULL,
    steps_per_epoch REAL    NOT NULL,
    batch_size      REAL    NOT NULL DEFAULT 0,
    keep_spans      INTEGER NOT NULL DEFAULT 1,
    link_emulated   INTEGER NOT NULL,
    time_simulated  INTEGER NOT NULL DEFAULT 0,
    -- The summary, kept up to date with every batch.
    newest_ns       INTEGER NOT NULL DEFAULT 0,
    steps           INTEGER NOT NULL DEFAULT 0,
    samples         INTEGER NOT NULL DEFAULT 0,
    bytes_sent      INTEGER NOT NULL DEFAULT 0,
    spans           INTEGER NOT NULL DEFAULT 0,
    first_span_ns   INTEGER,
    last_span_ns    INTEGER,
    loss            REAL,
    loss_min        REAL,
    loss_max        REAL,
    eval_loss       REAL,
    evaluated       INTEGER NOT NULL DEFAULT 0,
    best_accuracy   REAL,
    hidden          REAL,
    blocked_s       REAL,
    skew_s          REAL,
    inflation       REAL,
    inflation_ranks INTEGER NOT NULL DEFAULT 0,
    step_ms         REAL,
    samples_per_s   REAL,
    timed_steps     REAL,
    measured_s      REAL,
    -- Long texts last: reading the columns before them does not touch their overflow pages.
    link            TEXT    NOT NULL,
    host            TEXT    NOT NULL,
    cpu             TEXT    NOT NULL,
    git_commit      TEXT    NOT NULL,
    git_dirty       INTEGER NOT NULL,
    versions        TEXT    NOT NULL,
    error           TEXT    NOT NULL DEFAULT '',
    config          TEXT    NOT NULL,
    git_dirty_diff  TEXT    NOT NULL,
    ended_at        TEXT
);

-- What a run's settings are called: symbols, units and defaults of its fields, as JSON. Runs of one algorithm share it.
CREATE TABLE schema (
    id     INTEGER PRIMARY KEY,
    fields TEXT NOT NULL UNIQUE
);
CREATE TABLE run_schema (
    run    INTEGER PRIMARY KEY REFERENCES run (id),
    schema INTEGER NOT NULL REFERENCES schema (id)
);

-- GPUs and network interfaces of the host of a run.
CREATE TABLE run_hardware (
    run          INTEGER NOT NULL REFERENCES run (id),
    place        INTEGER NOT NULL,
    kind         TEXT    NOT NULL CHECK (kind IN ('gpu', 'nic')),
    name         TEXT    NOT NULL,
    bits_per_s   REAL,
    memory_bytes REAL,
    PRIMARY KEY (run, place)
) WITHOUT ROWID;

-- Which run another one continues.
CREATE TABLE run_lineage (
    run          INTEGER PRIMARY KEY REFERENCES run (id),
    resumed_from TEXT    NOT NULL,
    resumed_step INTEGER NOT NULL
);

-- The runs that one command makes, one after the other: their order, and which are not to start yet.
CREATE TABLE run_series (
    run    INTEGER PRIMARY KEY REFERENCES run (id),
    series TEXT    NOT NULL,
    place  INTEGER NOT NULL,
    size   INTEGER NOT NULL,
    turn   REAL,
    held   INTEGER NOT NULL DEFAULT 0 CHECK (held IN (0, 1))
);

-- One row a rank: how far its journal was read (moved on in the transaction that holds the rows), and its last word.
CREATE TABLE rank_state (
    run         INTEGER NOT NULL REFERENCES run (id),
    rank        INTEGER NOT NULL,
    sequence    INTEGER NOT NULL DEFAULT 0,
    events      INTEGER NOT NULL DEFAULT 0,
    state       INTEGER,
    step        INTEGER NOT NULL DEFAULT 0,
    samples     INTEGER NOT NULL DEFAULT 0,
    bytes_sent  INTEGER NOT NULL DEFAULT 0,
    newest_ns   INTEGER NOT NULL DEFAULT 0,
    train_loss  REAL,
    trained     INTEGER NOT NULL DEFAULT 0,
    hidden_s    REAL,
    transfer_s  REAL,
    blocked_s   REAL,
    compute_s   REAL,
    outcome     TEXT,
    state_text  TEXT    NOT NULL DEFAULT '',
    skew_s      REAL,
    collectives INTEGER,
    inflation   REAL,
    timed_steps INTEGER,
    timed_s     REAL,
    measured_s  REAL,
    PRIMARY KEY (run, rank)
) WITHOUT ROWID;

-- Every state a rank reported, in order.
CREATE TABLE state_event (
    id    INTEGER PRIMARY KEY,
    run   INTEGER NOT NULL REFERENCES run (id),
    rank  INTEGER NOT NULL,
    state INTEGER NOT NULL,
    step  INTEGER NOT NULL,
    text  TEXT    NOT NULL
);
CREATE INDEX state_event_by_run ON state_event (run, rank);

CREATE TABLE metric_name (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
CREATE TABLE metric (
    id         INTEGER PRIMARY KEY,
    run        INTEGER NOT NULL REFERENCES run (id),
    name       INTEGER NOT NULL REFERENCES metric_name (id),
    rank       INTEGER NOT NULL,
    step       INTEGER NOT NULL,
    epoch      REAL,
    wall_ns    INTEGER NOT NULL,
    samples    INTEGER NOT NULL,
    bytes_sent INTEGER NOT NULL,
    value      REAL
);
CREATE INDEX metric_by_name ON metric (run, name);

-- Spans carry no run and no index: span_chunk says which rows are whose and when, so that a row costs one append.
CREATE TABLE span (
    id          INTEGER PRIMARY KEY,
    tag         INTEGER NOT NULL,
    step        INTEGER NOT NULL,
    start_ns    INTEGER NOT NULL,
    duration_ns INTEGER NOT NULL,
    bytes       INTEGER NOT NULL,
    collective  INTEGER NOT NULL
);
-- `node`: the span_node that the chunk's rows are summed up in; 0: none yet, -1: none, as they are few.
CREATE TABLE span_chunk (
    run       INTEGER NOT NULL REFERENCES run (id),
    first_id  INTEGER NOT NULL,
    last_id   INTEGER NOT NULL,
    min_start INTEGER NOT NULL,
    max_end   INTEGER NOT NULL,
    node      INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (run, first_id)
) WITHOUT ROWID;
CREATE INDEX span_chunk_by_node ON span_chunk (run, node);

CREATE TABLE span_kind (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO span_kind VALUES (0, 'data'), (1, 'forward'), (2, 'backward'), (3, 'update'), (4, 'snapshot'),
                             (5, 'reduce'), (6, 'wait'), (7, 'merge'), (8, 'eval'), (9, 'checkpoint'),
                             (10, 'skew'), (11, 'transfer'), (12, 'window'), (13, 'passes'), (14, 'compute'),
                             (15, 'other');
CREATE TABLE span_lane (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO span_lane VALUES (0, 'compute'), (1, 'comm'), (2, 'io');

-- Names of spans that have one: those of other programs, of LibTorch's profiler, and of an algorithm's messages.
CREATE TABLE span_name (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
CREATE TABLE span_label (
    span INTEGER PRIMARY KEY,
    name INTEGER NOT NULL REFERENCES span_name (id)
);

-- Levels of detail over the spans. The blob last: reading the columns before it does not touch its overflow pages.
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

-- Collectives that not all of their ranks have reported yet. `span`: the row of the undivided reduce; NULL where the
-- run keeps no spans.
CREATE TABLE arrival (
    run        INTEGER NOT NULL REFERENCES run (id),
    collective INTEGER NOT NULL,
    rank       INTEGER NOT NULL,
    span       INTEGER,
    step       INTEGER NOT NULL,
    start_ns   INTEGER NOT NULL,
    end_ns     INTEGER NOT NULL,
    bytes      INTEGER NOT NULL,
    ranks      INTEGER NOT NULL,
    PRIMARY KEY (run, collective, rank)
) WITHOUT ROWID;

-- A collector's state for a rank's newest spans while the run is under way, from which another collector continues.
CREATE TABLE rank_meter (
    run    INTEGER NOT NULL REFERENCES run (id),
    rank   INTEGER NOT NULL,
    events INTEGER NOT NULL,
    state  BLOB    NOT NULL,
    PRIMARY KEY (run, rank)
) WITHOUT ROWID;

-- Runs that wait for `dasgd queue work` and belong to no process meanwhile. `after_failure`: whoever added the entry
-- said how many restarts there may be where the training fails by itself.
CREATE TABLE queue_entry (
    id            INTEGER PRIMARY KEY,
    run           INTEGER NOT NULL UNIQUE REFERENCES run (id),
    turn          REAL    NOT NULL,
    held          INTEGER NOT NULL DEFAULT 0 CHECK (held IN (0, 1)),
    cancelled     INTEGER NOT NULL DEFAULT 0 CHECK (cancelled IN (0, 1)),
    cores         INTEGER NOT NULL CHECK (cores >= 1),
    gpus          INTEGER NOT NULL CHECK (gpus >= 0),
    restarts      INTEGER NOT NULL CHECK (restarts >= 0),
    after_failure INTEGER NOT NULL DEFAULT 0 CHECK (after_failure IN (0, 1))
);
CREATE TABLE queue_state (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
    slots  INTEGER NOT NULL CHECK (slots >= 1)
);
INSERT INTO queue_state (id, paused, slots) VALUES (1, 0, 1);
-- How often the queue started a training again, and why the last time.
CREATE TABLE run_restart (
    run    INTEGER PRIMARY KEY REFERENCES run (id),
    number INTEGER NOT NULL CHECK (number >= 1),
    reason TEXT    NOT NULL
);

-- Identity of the workspace; its copies have the same.
CREATE TABLE workspace (id TEXT NOT NULL);
INSERT INTO workspace VALUES (lower(hex(randomblob(16))));
CREATE TABLE mirror_source (
    id        INTEGER PRIMARY KEY,
    workspace TEXT    NOT NULL UNIQUE,
    origin    TEXT    NOT NULL,
    program   TEXT    NOT NULL DEFAULT '',
    heard_at  TEXT    NOT NULL
);
-- How far each table of a run was taken, as ids of the rows there; moved in the transaction that holds the rows.
CREATE TABLE mirror_run (
    run    INTEGER PRIMARY KEY REFERENCES run (id),
    source INTEGER NOT NULL REFERENCES mirror_source (id),
    metric INTEGER NOT NULL DEFAULT 0,
    span   INTEGER NOT NULL DEFAULT 0,
    event  INTEGER NOT NULL DEFAULT 0,
    digest INTEGER NOT NULL DEFAULT 0
);

CREATE VIEW run_list AS
SELECT run_id, experiment, algorithm, seed, workers, backend, status, started_at,
       newest_ns / 1e9 AS wall_s, steps, samples, bytes_sent,
       -- 9e999 is infinity. NaN is stored as NULL, as is what was never recorded.
       CASE WHEN evaluated AND (loss < 9e999 OR NOT EXISTS (SELECT 1 FROM rank_state WHERE run = run.id AND trained))
            THEN eval_loss ELSE loss END AS final_loss,
       best_accuracy, hidden, blocked_s, samples_per_s, git_commit, config, error,
       step_ms, skew_s, inflation, inflation_ranks, timed_steps, time_simulated, measured_s,
       planned_steps, series, place AS series_place, size AS series_size,
       CASE WHEN status = 'queued' THEN ifnull(queue_entry.turn, run_series.turn) END AS queue_turn,
       status = 'queued' AND coalesce(queue_entry.held, run_series.held, 0) AS held,
       resumed_from, resumed_step, ended_at,
       queue_entry.run IS NOT NULL AS in_queue,
       origin, heard_at, program AS origin_program,
       ifnull(number, 0) AS restarted, ifnull(reason, '') AS restart_reason
FROM run LEFT JOIN run_series ON run_series.run = run.id LEFT JOIN run_lineage ON run_lineage.run = run.id
LEFT JOIN run_restart ON run_restart.run = run.id
LEFT JOIN queue_entry ON queue_entry.run = run.id
LEFT JOIN mirror_run ON mirror_run.run = run.id LEFT JOIN mirror_source ON mirror_source.id = mirror_run.source;

CREATE VIEW metric_points AS
SELECT run.run_id, metric.rank, metric_name.name, metric.step, metric.epoch, metric.wall_ns / 1e9 AS wall_s,
       metric.samples, metric.bytes_sent, metric.value
FROM metric JOIN run ON run.id = metric.run JOIN metric_name ON metric_name.id = metric.name;

-- CROSS JOIN keeps the order run, chunk, span: each step is a key look-up or a range of rowids.
CREATE VIEW span_list AS
SELECT run.run_id, span.tag >> 8 AS rank, span_lane.name AS lane, span_kind.name AS kind, span.step,
       span.start_ns, span.start_ns + span.duration_ns AS end_ns, span.bytes
FROM run CROSS JOIN span_chunk ON span_chunk.run = run.id
         CROSS JOIN span ON span.id BETWEEN span_chunk.first_id AND span_chunk.last_id
         CROSS JOIN span_lane ON span_lane.id = (span.tag >> 6) & 3
         CROSS JOIN span_kind ON span_kind.id = span.tag & 63;

CREATE VIEW queue_list AS
SELECT run_id, status, turn, held, cancelled, cores, gpus, restarts, after_failure,
       ifnull(number, 0) AS restarted, ifnull(reason, '') AS restart_reason
FROM queue_entry JOIN run ON run.id = queue_entry.run LEFT JOIN run_restart ON run_restart.run = run.id
ORDER BY turn, queue_entry.id;

CREATE VIEW setting_list AS
SELECT run.run_id, json_extract(field.value, '$.key') AS key, json_extract(field.value, '$.symbol') AS symbol,
       json_extract(field.value, '$.unit') AS unit, json_extract(field.value, '$.default') AS default_value
FROM run_schema JOIN run ON run.id = run_schema.run JOIN schema ON schema.id = run_schema.schema,
     json_each(schema.fields) AS field;

CREATE VIEW hardware_list AS
SELECT run_id, place, kind, name, bits_per_s, memory_bytes
FROM run_hardware JOIN run ON run.id = run_hardware.run;

CREATE VIEW origin_list AS
SELECT run_id, workspace, origin, program, heard_at
FROM mirror_run JOIN run ON run.id = mirror_run.run JOIN mirror_source ON mirror_source.id = mirror_run.source;
