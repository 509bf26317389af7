-- How long did congested flows take to get their fair share?
-- The slowest of all receivers; of use when the capture point is the bottleneck.
--
-- into kpi
WITH c AS (
  SELECT count(*) AS n, sum(converged_ns IS NULL) AS open,
         max(converged_ns) AS ns, max(observed_ns) AS observed
    FROM convergence /*scan*/
   WHERE joined < flows)
SELECT 'Congestion Control Convergence' AS name, '4.2' AS section, 10 AS place,
       CASE WHEN open = 0 THEN ns / 1e3 END AS value,
       'us' AS unit, '1T' AS class, 0.5 AS confidence,
       CASE WHEN n = 0
            THEN 'flows that join others at a congested bottleneck, which '
                 || 'must be at the capture point'
            ELSE 'a longer capture: not converged within '
                 || human_ns(observed) END AS missing,
       'the slowest of ' || plural(n, 'time') || ' that flows joined; all '
         || 'within 10 % of their fair share' AS note,
       n AS samples
  FROM c
