-- Schema version 9: which run another one goes on from. What the columns mean: storage/format.md.

CREATE TABLE run_lineage (
    run          INTEGER PRIMARY KEY REFERENCES run (id),
    resumed_from TEXT    NOT NULL,
    resumed_step INTEGER NOT NULL
);

DROP VIEW run_list;
CREATE VIEW run_list AS
SELECT run_id, experiment, algorithm, seed, workers, backend, status, started_at,
       newest_ns / 1e9 AS wall_s, steps, samples, bytes_sent,
       CASE WHEN evaluated THEN eval_loss ELSE loss END AS final_loss,
       best_accuracy, hidden, blocked_s, samples_per_s, git_commit, config, error,
       step_ms, skew_s, inflation, inflation_ranks, timed_steps, time_simulated, measured_s,
       planned_steps, series, place AS series_place, size AS series_size,
       CASE WHEN status = 'queued' THEN turn END AS queue_turn,
       status = 'queued' AND ifnull(held, 0) AS held,
       resumed_from, resumed_step
FROM run LEFT JOIN run_series ON run_series.run = run.id LEFT JOIN run_lineage ON run_lineage.run = run.id;
