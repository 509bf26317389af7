-- Which waits may be pauses that this capture does not show?
-- Where a tap cannot see PFC, a sender that is silent may have been stalled.
SELECT p.job, 'PAUSED|SENDER_WAIT' AS classes, sum(t.time_ns) AS time_ns,
       'PFC is not observable here: an idle sender may have been paused' AS why
  FROM phase_time t /*scan*/
  JOIN phase p ON p.id = t.phase_id
 WHERE t.class = 'sender_wait' AND NOT p.cut
   AND EXISTS (SELECT 1 FROM observability /*scan*/
                WHERE what = 'pfc' AND verdict = 'no')
 GROUP BY p.job
