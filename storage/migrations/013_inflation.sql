-- Schema version 13: the inflation of a run is known where at least three ranks tell it and the 95 % interval of their mean
-- is no wider than the mean. What the columns mean: storage/format.md.

-- The interval is 2 · t · s ÷ √n wide; squared, as SQLite may have no sqrt(). t² is that of Student's distribution at
-- 0.975 with n − 1 degrees of freedom.
WITH told AS (
    SELECT run, count(*) AS n, avg(inflation) AS mean, sum(inflation * inflation) AS squares
    FROM rank_state WHERE inflation IS NOT NULL GROUP BY run
), scatter AS (
    SELECT run, mean, 4 * (squares - n * mean * mean) / (n - 1) / n *
           CASE n WHEN 3 THEN 18.513 WHEN 4 THEN 10.128 WHEN 5 THEN 7.709 WHEN 6 THEN 6.608 WHEN 7 THEN 5.987
                  WHEN 8 THEN 5.591 WHEN 9 THEN 5.318 WHEN 10 THEN 5.117 ELSE 4.965 END AS width2
    FROM told WHERE n > 2
)
UPDATE run SET inflation = NULL
WHERE inflation IS NOT NULL AND NOT EXISTS
      (SELECT 1 FROM scatter WHERE scatter.run = run.id AND width2 <= scatter.mean * scatter.mean);
