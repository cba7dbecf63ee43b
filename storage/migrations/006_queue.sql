-- Schema version 6: in which order the runs of a command start, and which of them are not to start yet. What the columns
-- mean: storage/format.md.

ALTER TABLE run_series ADD COLUMN turn REAL;
ALTER TABLE run_series ADD COLUMN held INTEGER NOT NULL DEFAULT 0 CHECK (held IN (0, 1));

DROP VIEW run_list;
CREATE VIEW run_list AS
SELECT run_id, experiment, algorithm, seed, workers, backend, status, started_at,
       newest_ns / 1e9 AS wall_s, steps, samples, bytes_sent,
       CASE WHEN evaluated THEN eval_loss ELSE loss END AS final_loss,
       best_accuracy, hidden, blocked_s, samples_per_s, git_commit, config, error,
       step_ms, skew_s, inflation, inflation_ranks, timed_steps, time_simulated, measured_s,
       planned_steps, series, place AS series_place, size AS series_size,
       CASE WHEN status = 'queued' THEN turn END AS queue_turn,
       status = 'queued' AND ifnull(held, 0) AS held
FROM run LEFT JOIN run_series ON run_series.run = run.id;
