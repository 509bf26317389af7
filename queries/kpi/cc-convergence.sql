-- How long did congested flows take to get their fair share?
-- The slowest of all receivers; of use when the tap is the bottleneck.
WITH c AS (
  SELECT count(*) AS n, sum(converged_ns IS NULL) AS open,
         max(converged_ns) AS ns, max(observed_ns) AS observed
    FROM convergence /*scan*/
   WHERE joined < flows)
SELECT 'CC convergence' AS name,
       CASE WHEN n > 0 AND open = 0 THEN ns / 1e6 END AS value,
       'ms' AS unit, '1T' AS class,
       CASE WHEN n > 0 AND open = 0 THEN 0.5 END AS confidence,
       CASE WHEN n = 0
            THEN 'flows that join others at a congested bottleneck, which '
                 || 'must be the tap'
            WHEN open > 0 THEN 'not converged within ' || human_ns(observed)
            END AS missing
  FROM c
