-- Schema version 10: when a run ended, and the loss of one that diverged after its last evaluation. What the columns mean:
-- storage/format.md.

ALTER TABLE run ADD COLUMN ended_at TEXT;

DROP VIEW run_list;
CREATE VIEW run_list AS
SELECT run_id, experiment, algorithm, seed, workers, backend, status, started_at,
       newest_ns / 1e9 AS wall_s, steps, samples, bytes_sent,
       -- 9e999 is infinity. NaN is stored as NULL, as is what was never recorded.
       CASE WHEN evaluated AND (loss < 9e999 OR NOT EXISTS (SELECT 1 FROM rank_state WHERE run = run.id AND trained))
            THEN eval_loss ELSE loss END AS final_loss,
       best_accuracy, hidden, blocked_s, samples_per_s, git_commit, config, error,
       step_ms, skew_s, inflation, inflation_ranks, timed_steps, time_simulated, measured_s,
       planned_steps, series, place AS series_place, size AS series_size,
       CASE WHEN status = 'queued' THEN turn END AS queue_turn,
       status = 'queued' AND ifnull(held, 0) AS held,
       resumed_from, resumed_step, ended_at
FROM run LEFT JOIN run_series ON run_series.run = run.id LEFT JOIN run_lineage ON run_lineage.run = run.id;
