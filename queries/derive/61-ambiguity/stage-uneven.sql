-- Which stage of a pipeline computes longer than all others, all the time?
-- No iteration shows it otherwise, and no other rank does the same work.
--
-- into phase_ambiguity
-- needs phase_share
SELECT r.job, 'host-late|compute' AS classes,
       CAST(sum(t.time_ns) * (1 - 1.0 * r.stage_others_ns / r.stage_ns)
              AS INTEGER) AS time_ns,
       r.address || ' computes ' || human_ns(r.stage_ns) || ' at a time, each other '
         || 'stage ' || human_ns(r.stage_others_ns) || ' at most: it may be slow, or '
         || 'may have more to do' AS why
  FROM job_rank r /*scan*/
  JOIN phase_share t ON t.job = r.job AND t.rank = r.rank
                    AND t.class = 'compute' AND t.gap = 0
 WHERE r.stage_ns >= 1.5 * r.stage_others_ns
 GROUP BY r.job
