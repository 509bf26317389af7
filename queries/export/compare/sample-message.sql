-- How long did single messages take?
-- Only where all were kept: else the slow ones are.
--
-- into compared_sample
SELECT 'completion of a message' AS metric, NULL AS subject, NULL AS flow_id,
       id AS nth, 'us' AS unit, 'low' AS better,
       (completed_ns - first_ns) / 1e3 AS value
  FROM message /*scan*/
 WHERE completed_ns > first_ns
   AND NOT EXISTS (SELECT 1 FROM row_limit
                    WHERE table_name = 'message' AND not_stored > 0)
 ORDER BY id LIMIT 20000
