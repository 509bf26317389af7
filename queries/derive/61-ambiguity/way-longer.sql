-- Where did all data take far longer than its acknowledgements took back?
-- A queue that never was empty makes the shortest way longer, and so does an error
-- of clocks.
--
-- into phase_ambiguity
-- needs phase_share
WITH way AS (
  SELECT t.job, t.flow_id, sum(t.time_ns) AS time_ns
    FROM phase_share t /*scan*/
   WHERE t.measured = 'delay of data against ACKs' AND t.side = 'unknown'
   GROUP BY t.job, t.flow_id)
SELECT w.job, 'queueing|wire' AS classes, sum(w.time_ns) AS time_ns,
       'all data of ' || f.src || ' > ' || f.dst || ' took far longer than its '
         || 'ACKs took back, in a queue that never was empty, or by clocks that '
         || 'differ' AS why
  FROM way w
  JOIN flow f ON f.id = (SELECT v.flow_id FROM way v
                          WHERE v.job = w.job ORDER BY v.time_ns DESC,
                                v.flow_id LIMIT 1)
 GROUP BY w.job
