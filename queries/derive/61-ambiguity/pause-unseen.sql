-- Which lateness of hosts may be pauses that this capture does not show?
-- Where a tap cannot see PFC, a sender that is silent may have been stalled.
--
-- into phase_ambiguity
-- needs phase_share
SELECT t.job, 'host-late|pause' AS classes, sum(t.time_ns) AS time_ns,
       'PFC is not observable here: an idle sender may have been paused' AS why
  FROM phase_share t /*scan*/
 WHERE t.class = 'host-late' AND t.measured <> 'ranks that do the same'
   AND EXISTS (SELECT 1 FROM observability /*scan*/
                WHERE what = 'pfc' AND verdict = 'no')
 GROUP BY t.job
