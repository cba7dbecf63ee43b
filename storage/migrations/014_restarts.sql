-- Schema version 14: how often the trainings of the queue were started again, and why. What the columns mean:
-- storage/format.md.

-- Whoever added an entry said nothing of restarts, or how many there may be after a failure.
ALTER TABLE queue_entry ADD COLUMN after_failure INTEGER NOT NULL DEFAULT 0 CHECK (after_failure IN (0, 1));
UPDATE queue_entry SET after_failure = restarts > 0, restarts = CASE WHEN restarts > 0 THEN restarts ELSE 3 END;

CREATE TABLE run_restart (
    run    INTEGER PRIMARY KEY REFERENCES run (id),
    number INTEGER NOT NULL CHECK (number >= 1),
    reason TEXT    NOT NULL
);

DROP VIEW queue_list;
CREATE VIEW queue_list AS
SELECT run_id, status, turn, held, cancelled, cores, gpus, restarts, after_failure,
       ifnull(number, 0) AS restarted, ifnull(reason, '') AS restart_reason
FROM queue_entry JOIN run ON run.id = queue_entry.run LEFT JOIN run_restart ON run_restart.run = run.id
ORDER BY turn, queue_entry.id;

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
       origin, heard_at, program AS origin_program,
       ifnull(number, 0) AS restarted, ifnull(reason, '') AS restart_reason
FROM run LEFT JOIN run_series ON run_series.run = run.id LEFT JOIN run_lineage ON run_lineage.run = run.id
LEFT JOIN run_restart ON run_restart.run = run.id
LEFT JOIN queue_entry ON queue_entry.run = run.id
LEFT JOIN mirror_run ON mirror_run.run = run.id LEFT JOIN mirror_source ON mirror_source.id = mirror_run.source;
