-- Which waits are for ranks whose own input is not in the capture?
-- Such a rank may itself wait for another.
SELECT p.job, 'SENDER_WAIT|ELSEWHERE' AS classes, sum(t.time_ns) AS time_ns,
       'what these ranks wait for themselves is not in the capture' AS why
  FROM phase_time t /*scan*/
  JOIN phase p ON p.id = t.phase_id
  JOIN job_rank r ON r.job = p.job AND r.rank = t.rank
 WHERE t.class = 'sender_wait' AND NOT r.tapped AND NOT p.cut
 GROUP BY p.job
