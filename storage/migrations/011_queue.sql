-- Schema version 11: runs that wait for `dasgd queue work`, and belong to no process meanwhile. What the columns mean:
-- storage/format.md.

CREATE TABLE queue_entry (
    id        INTEGER PRIMARY KEY,
    run       INTEGER NOT NULL UNIQUE REFERENCES run (id),
    turn      REAL    NOT NULL,
    held      INTEGER NOT NULL DEFAULT 0 CHECK (held IN (0, 1)),
    cancelled INTEGER NOT NULL DEFAULT 0 CHECK (cancelled IN (0, 1)),
    cores     INTEGER NOT NULL CHECK (cores >= 1),
    gpus      INTEGER NOT NULL CHECK (gpus >= 0),
    restarts  INTEGER NOT NULL CHECK (restarts >= 0)
);

CREATE TABLE queue_state (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
    slots  INTEGER NOT NULL CHECK (slots >= 1)
);
INSERT INTO queue_state (id, paused, slots) VALUES (1, 0, 1);

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
       queue_entry.run IS NOT NULL AS in_queue
FROM run LEFT JOIN run_series ON run_series.run = run.id LEFT JOIN run_lineage ON run_lineage.run = run.id
LEFT JOIN queue_entry ON queue_entry.run = run.id;

CREATE VIEW queue_list AS
SELECT run_id, status, turn, held, cancelled, cores, gpus, restarts
FROM queue_entry JOIN run ON run.id = queue_entry.run
ORDER BY turn, queue_entry.id;
