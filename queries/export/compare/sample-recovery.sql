-- How long did recoveries take?
--
-- into compared_sample
SELECT 'recovery, ' || trigger AS metric, NULL AS subject, NULL AS flow_id,
       'us' AS unit, 'low' AS better, (last_ns - first_ns) / 1e3 AS value
  FROM recovery /*scan*/
 WHERE last_ns > first_ns AND trigger IS NOT NULL
 LIMIT 20000
