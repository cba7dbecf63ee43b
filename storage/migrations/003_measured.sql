-- Schema version 3: how much time the overlap numbers are of, how many ranks train, a kind of span. What the columns mean: storage/format.md.

DROP VIEW run_list;
DROP VIEW metric_points;
DROP VIEW span_list;
DROP VIEW setting_list;

-- Rebuilt, as columns that are added come after the long texts.
CREATE TABLE run_3 (
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
    git_dirty_diff  TEXT    NOT NULL
);
INSERT INTO run_3 (
       id, trainers, run_id, experiment, algorithm, seed, workers, backend, status, started_at, clock_origin, planned_steps,
       steps_per_epoch, batch_size, keep_spans, link_emulated, time_simulated, newest_ns, steps, samples, bytes_sent,
       spans, first_span_ns, last_span_ns, loss, loss_min, loss_max, eval_loss, evaluated, best_accuracy, hidden,
       blocked_s, skew_s, inflation, inflation_ranks, step_ms, samples_per_s, timed_steps, link, host, cpu,
       git_commit, git_dirty, versions, error, config, git_dirty_diff)
SELECT
       id, workers, run_id, experiment, algorithm, seed, workers, backend, status, started_at, clock_origin, planned_steps,
       steps_per_epoch, batch_size, keep_spans, link_emulated, time_simulated, newest_ns, steps, samples, bytes_sent,
       spans, first_span_ns, last_span_ns, loss, loss_min, loss_max, eval_loss, evaluated, best_accuracy, hidden,
       blocked_s, skew_s, inflation, inflation_ranks, step_ms, samples_per_s, timed_steps, link, host, cpu,
       git_commit, git_dirty, versions, error, config, git_dirty_diff
FROM run;
DROP TABLE run;
ALTER TABLE run_3 RENAME TO run;

ALTER TABLE rank_state ADD COLUMN measured_s REAL;

INSERT INTO span_kind VALUES (13, 'passes');

CREATE VIEW run_list AS
SELECT run_id, experiment, algorithm, seed, workers, backend, status, started_at,
       newest_ns / 1e9 AS wall_s, steps, samples, bytes_sent,
       CASE WHEN evaluated THEN eval_loss ELSE loss END AS final_loss,
       best_accuracy, hidden, blocked_s, samples_per_s, git_commit, config, error,
       step_ms, skew_s, inflation, inflation_ranks, timed_steps, time_simulated, measured_s
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

CREATE VIEW setting_list AS
SELECT run.run_id, json_extract(field.value, '$.key') AS key, json_extract(field.value, '$.symbol') AS symbol,
       json_extract(field.value, '$.unit') AS unit, json_extract(field.value, '$.default') AS default_value
FROM run_schema JOIN run ON run.id = run_schema.run JOIN schema ON schema.id = run_schema.schema,
     json_each(schema.fields) AS field;
