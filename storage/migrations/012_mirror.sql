-- Schema version 12: runs that are taken from other workspaces. What the columns mean: storage/format.md.

-- The same for a workspace and for its copies: that of its first run where it has any, so that a copy which is brought
-- to this version on its own is still known as what it is.
CREATE TABLE workspace (id TEXT NOT NULL);
INSERT INTO workspace
SELECT coalesce((SELECT 'of-' || run_id FROM run ORDER BY id LIMIT 1), lower(hex(randomblob(16))));

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

CREATE VIEW origin_list AS
SELECT run_id, workspace, origin, program, heard_at
FROM mirror_run JOIN run ON run.id = mirror_run.run JOIN mirror_source ON mirror_source.id = mirror_run.source;

DROP VIEW run_list;
CREATE VIEW run_list AS
SELECT run_id, experiment, algorithm, seed, workers, backend, status, started_at,
       newest_ns / 1e9 AS wall_s, steps, samples, bytes_sent,
       CASE WHEN evaluated AND (loss < 9e999 OR NOT EXISTS (SELECT 1 FROM rank_state WHERE run = run.id AND trained))
            THEN eval_loss ELSE loss END AS final_loss,
       best_accuracy, hidden, blocked_s, samples_per_s, git_commit, config, error,
       step_ms, skew_s, inflation, inflation_ranks, timed_steps, time_simulated, measured_s,
       planned_steps, series, place AS series_place, size AS series_size,
       CASE WHEN status = 'queued' THEN ifnull(queue_entry.turn, run_series.turn) END AS queue_turn,
       status = 'queued' AND coalesce(queue_entry.held, run_series.held, 0) AS held,
       resumed_from, resumed_step, ended_at,
       queue_entry.run IS NOT NULL AS in_queue,
       origin, heard_at, program AS origin_program
FROM run LEFT JOIN run_series ON run_series.run = run.id LEFT JOIN run_lineage ON run_lineage.run = run.id
LEFT JOIN queue_entry ON queue_entry.run = run.id
LEFT JOIN mirror_run ON mirror_run.run = run.id LEFT JOIN mirror_source ON mirror_source.id = mirror_run.source;
