-- Which waits may be pauses that this capture does not show?
-- Where a tap cannot see PFC, a sender that is silent may have been held up.
SELECT p.job, 'PAUSED|SENDER_WAIT' AS classes, sum(t.time_ns) AS time_ns,
       'PFC is not visible here: that a sender was silent does not tell '
         || 'whether it had nothing to send' AS why
  FROM phase_time t /*scan*/
  JOIN phase p ON p.id = t.phase_id
 WHERE t.class = 'sender_wait' AND NOT p.cut
   AND EXISTS (SELECT 1 FROM observability /*scan*/
                WHERE what = 'pfc' AND verdict = 'no')
 GROUP BY p.job
