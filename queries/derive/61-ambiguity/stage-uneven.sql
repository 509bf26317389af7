-- Which rank computes longer than all others, all the time?
--
-- into phase_ambiguity
-- needs phase_share
SELECT u.job, 'host-late|compute' AS classes,
       CAST(sum(t.time_ns) * u.part AS INTEGER) AS time_ns, u.why
  FROM temp.uneven u /*scan*/
  JOIN phase_share t ON t.job = u.job AND t.rank = u.rank
                    AND t.class = 'compute' AND t.gap = 0
 GROUP BY u.job, u.rank
