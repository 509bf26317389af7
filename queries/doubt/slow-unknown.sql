-- What may have slowed data down where nothing tells?
-- Pauses where PFC is not visible, a rate that was cut where CNPs are not, links
-- without a tap, and steps so small that each waits for the one before.
SELECT p.job,
       iif(EXISTS (SELECT 1 FROM observability /*scan*/
                    WHERE what = 'pfc' AND verdict = 'no'), 'PAUSED|', '')
         || iif(f.visibility = 'fwd', 'RATE_CUT|', '') || 'SHARED|WIRE'
         AS classes,
       sum(t.time_ns) AS time_ns,
       'slower than the link, cause not observable: other links are not tapped, '
         || 'and small steps wait for each other' AS why
  FROM phase_time t /*scan*/
  JOIN phase p ON p.id = t.phase_id
  JOIN flow f ON f.id = t.flow_id
 WHERE t.class = 'unknown' AND NOT p.cut
 GROUP BY p.job, 2
