-- Schema version 13: the inflation of a run is known where at least three ranks tell it and the 95 % interval of their mean
-- is no wider than the mean. What the columns mean: storage/format.md.

-- The interval is 2 · t · s ÷ √n wide; squared, as SQLite may have no sqrt(). t² is that of Student's distribution at
-- 0.975 with n − 1 degrees of freedom: listed for few ranks, and for more by the expansion in 1 ÷ (n − 1) around the
-- normal distribution, which is right to five digits from ten degrees on.
WITH told AS (
    SELECT run, count(*) AS n, avg(inflation) AS mean, sum(inflation * inflation) AS squares
    FROM rank_state WHERE inflation IS NOT NULL GROUP BY run
), student AS (
    SELECT run, n, mean, squares,
           1.959964 + (2.372271 + (2.822499 + (2.555850 + 1.589534 / (n - 1)) / (n - 1)) / (n - 1)) / (n - 1) AS t
    FROM told WHERE n > 2
), scatter AS (
    SELECT run, mean, 4 * (squares - n * mean * mean) / (n - 1) / n *
           CASE n WHEN 3 THEN 18.513 WHEN 4 THEN 10.128 WHEN 5 THEN 7.709 WHEN 6 THEN 6.608 WHEN 7 THEN 5.987
                  WHEN 8 THEN 5.591 WHEN 9 THEN 5.318 WHEN 10 THEN 5.117 ELSE t * t END AS width2
    FROM student
)
UPDATE run SET inflation = NULL
WHERE inflation IS NOT NULL AND NOT EXISTS
      (SELECT 1 FROM scatter WHERE scatter.run = run.id AND width2 <= scatter.mean * scatter.mean);
