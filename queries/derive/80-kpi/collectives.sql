-- 9.1 to 9.4, 13.7 How fast were collectives, and how repeatable?
-- Their communication, in iterations of the job with most bytes.
--
-- into kpi
WITH j AS (
  SELECT id FROM job WHERE iterations > 0 ORDER BY id LIMIT 1),
i AS MATERIALIZED (
  SELECT iteration, max(last_ns) - min(first_ns) AS ns,
         max(pattern) AS pattern
    FROM phase /*scan*/
   WHERE iteration IS NOT NULL AND job = (SELECT id FROM j)
   GROUP BY iteration
  HAVING NOT max(ifnull(cut, 0))),
r AS MATERIALIZED (
  SELECT ns, row_number() OVER (ORDER BY ns) AS rank, count(*) OVER () AS n
    FROM i),
s AS (
  SELECT count(*) AS n, avg(ns) AS mean,
         avg(1.0 * ns * ns) - avg(ns) * avg(ns) AS variance,
         (SELECT pattern FROM i GROUP BY pattern
           ORDER BY count(*) DESC LIMIT 1) AS pattern
    FROM i),
want(name, place, q) AS (
  VALUES ('Iteration time, P50', 2, 0.5), ('Iteration time, P95', 3, 0.95),
         ('Iteration time, P99', 4, 0.99)),
few AS (
  SELECT CASE WHEN n < 100 THEN 'few: the draft wants 100 iterations'
              ELSE 'pattern: ' || ifnull(pattern, 'not recognized')
              END AS note FROM s)
SELECT 'Iteration time, mean' AS name, '9.4' AS section, 1 AS place,
       mean / 1e6 AS value, 'ms' AS unit, 'NT' AS class,
       CASE WHEN n < 100 THEN 0.5 ELSE 0.7 END AS confidence,
       'iterations: they cannot be identified in this capture' AS missing,
       few.note AS note, n AS samples
  FROM s, few
UNION ALL
SELECT w.name, '9.4', w.place,
       (SELECT min(r.ns) / 1e6 FROM r WHERE r.rank >= w.q * r.n), 'ms', 'NT',
       CASE WHEN s.n < 100 THEN 0.5 ELSE 0.7 END,
       'iterations: they cannot be identified in this capture', few.note, s.n
  FROM want w, s, few
UNION ALL
SELECT 'Coefficient of variation of the iteration time', '13.7', 1,
       CASE WHEN n > 2 THEN 100 * sqrt(max(variance, 0)) / mean END, '%', 'NT',
       CASE WHEN n < 20 THEN 0.4 ELSE 0.8 END,
       'three iterations or more: '
         || CASE WHEN n THEN 'there are ' || n
                 ELSE 'they cannot be identified in this capture' END,
       'below 5 % is recommended; ' || few.note, n
  FROM s, few
