-- How long did iterations take, and what was their time made of?
-- Jobs are matched by their first rank.
--
-- into compared_sample
WITH j AS (
  SELECT j.id, 'job of ' || min(r.address) AS subject
    FROM job j JOIN job_rank r ON r.job = j.id
   GROUP BY j.id),
p AS MATERIALIZED (
  SELECT p.id, j.subject, p.last_ns - p.first_ns AS ns, p.busbw_bps,
         p.iteration, p.job, p.first_ns
    FROM phase p /*scan*/ JOIN j ON j.id = p.job
   WHERE NOT ifnull(p.cut, 0) AND p.iteration IS NOT NULL
   ORDER BY p.id LIMIT 20000)
SELECT 'communication phase' AS metric, subject, NULL AS flow_id,
       iteration AS nth, 'ms' AS unit,
       'low' AS better, ns / 1e6 AS value
  FROM p
UNION ALL
SELECT 'iteration, begin to begin', subject, NULL, iteration, 'ms',
       'low',
       (lead(first_ns) OVER (PARTITION BY job ORDER BY iteration) - first_ns)
         / 1e6
  FROM p
UNION ALL
SELECT 'bus bandwidth of a phase', subject, NULL, iteration, 'Gb/s',
       'high',
       busbw_bps / 1e9
  FROM p WHERE busbw_bps IS NOT NULL
UNION ALL
SELECT 'time of a phase: ' || c.class, p.subject, NULL, p.iteration,
       '%', 'low',
       100.0 * (SELECT ifnull(sum(t.time_ns), 0) FROM phase_share t
                 WHERE t.phase_id = p.id AND NOT t.gap
                   AND t.class = c.class) / p.ns
  FROM p
  JOIN (SELECT DISTINCT class FROM phase_share /*scan*/
         WHERE side <> 'needed') c
 WHERE p.ns > 0
