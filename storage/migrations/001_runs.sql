-- Schema version 1. What the columns mean: storage/format.md.

CREATE TABLE run (
    id              INTEGER PRIMARY KEY,
    run_id          TEXT    NOT NULL UNIQUE,
    experiment      TEXT    NOT NULL,
    algorithm       TEXT    NOT NULL,
    seed            INTEGER NOT NULL,
    workers         INTEGER NOT NULL,
    backend         TEXT    NOT NULL,
    status          TEXT    NOT NULL
                    CHECK (status IN ('queued', 'running', 'finished', 'failed', 'stopped', 'interrupted')),
    started_at      TEXT    NOT NULL,
    clock_origin    INTEGER NOT NULL,
    planned_steps   INTEGER NOT NULL,
    steps_per_epoch REAL    NOT NULL,
    link_emulated   INTEGER NOT NULL,
    -- The summary, kept up to date with every batch.
    newest_ns       INTEGER NOT NULL DEFAULT 0,
    steps           INTEGER NOT NULL DEFAULT 0,
    samples         INTEGER NOT NULL DEFAULT 0,
    bytes_sent      INTEGER NOT NULL DEFAULT 0,
    spans           INTEGER NOT NULL DEFAULT 0,
    first_span_ns   INTEGER,
    last_span_ns    INTEGER,
    first_wall_ns   INTEGER,
    first_samples   INTEGER,
    last_wall_ns    INTEGER,
    loss            REAL,
    loss_min        REAL,
    loss_max        REAL,
    eval_loss       REAL,
    evaluated       INTEGER NOT NULL DEFAULT 0,
    best_accuracy   REAL,
    hidden          REAL,
    blocked_s       REAL,
    -- Long texts last: reading the columns before them does not touch their overflow pages.
    sweep_group     TEXT    NOT NULL,
    link            TEXT    NOT NULL,
    host            TEXT    NOT NULL,
    cpu             TEXT    NOT NULL,
    git_commit      TEXT    NOT NULL,
    git_dirty       INTEGER NOT NULL,
    versions        TEXT    NOT NULL,
    error           TEXT    NOT NULL DEFAULT '',
    config          TEXT    NOT NULL,
    git_dirty_diff  TEXT    NOT NULL
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
    reduce_s    REAL,
    blocked_s   REAL,
    compute_s   REAL,
    outcome     TEXT,
    state_text  TEXT    NOT NULL DEFAULT '',
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

CREATE TABLE span_chunk (
    run       INTEGER NOT NULL REFERENCES run (id),
    first_id  INTEGER NOT NULL,
    last_id   INTEGER NOT NULL,
    min_start INTEGER NOT NULL,
    max_end   INTEGER NOT NULL,
    PRIMARY KEY (run, first_id)
) WITHOUT ROWID;

CREATE TABLE span_kind (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO span_kind VALUES (0, 'data'), (1, 'forward'), (2, 'backward'), (3, 'update'), (4, 'snapshot'),
                             (5, 'reduce'), (6, 'wait'), (7, 'merge'), (8, 'eval'), (9, 'checkpoint');
CREATE TABLE span_lane (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO span_lane VALUES (0, 'compute'), (1, 'comm'), (2, 'io');

CREATE VIEW run_list AS
SELECT run_id, experiment, algorithm, seed, workers, backend, status, started_at,
       newest_ns / 1e9 AS wall_s, steps, samples, bytes_sent,
       CASE WHEN evaluated THEN eval_loss ELSE loss END AS final_loss,
       best_accuracy, hidden, blocked_s,
       CASE WHEN last_wall_ns > first_wall_ns
            THEN (samples - first_samples) * 1e9 / (last_wall_ns - first_wall_ns) END AS samples_per_s,
       git_commit, config, error
FROM run;

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
