-- Which time was spent waiting for ranks whose own input is not in the capture?
-- Such a rank may itself wait for another.
--
-- into phase_ambiguity
-- needs phase_share
SELECT t.job, 'host-late|queueing' AS classes, sum(t.time_ns) AS time_ns,
       'what these ranks wait for themselves is not in the capture' AS why
  FROM phase_share t /*scan*/
  JOIN job_rank r ON r.job = t.job AND r.rank = t.rank
 WHERE t.side = 'unknown' AND NOT r.tapped
 GROUP BY t.job
