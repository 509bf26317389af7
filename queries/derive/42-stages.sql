-- Of the stage of a pipeline that computes longest: how long the next one does.
-- needs job_rank
WITH s AS MATERIALIZED (
  SELECT job, rank, stage_ns,
         row_number() OVER (PARTITION BY job ORDER BY stage_ns DESC, rank) AS nth
    FROM job_rank /*scan*/ WHERE stage_ns > 0)
UPDATE job_rank
   SET stage_others_ns = b.stage_ns
  FROM s a JOIN s b ON b.job = a.job AND b.nth = 2
 WHERE a.nth = 1 AND job_rank.job = a.job AND job_rank.rank = a.rank;

-- Who computes longer than all others in each iteration may be slow, or may have
-- more to do: no iteration shows it otherwise.
INSERT INTO temp.uneven
SELECT job, rank, 1 - 1.0 * stage_others_ns / stage_ns,
       address || ' computes ' || human_ns(stage_ns) || ' at a time, each other '
         || 'stage ' || human_ns(stage_others_ns) || ' at most: it may be slow, or '
         || 'may have more to do'
  FROM job_rank /*scan*/ WHERE stage_ns >= 1.5 * stage_others_ns;
-- So may who begins later than the other of two, always: of two nobody says which
-- one is usual.
INSERT INTO temp.uneven
SELECT r.job, r.rank, min(1.0 * r.residual_ns * j.phases / sum(s.time_ns), 1),
       r.address || ' begins ' || human_ns(r.residual_ns)
         || ' later than the other one: it may be late, or may have more to do'
  FROM job j /*scan*/
  JOIN job_rank r ON r.job = j.id
  JOIN phase_share s ON s.job = r.job AND s.rank = r.rank
                    AND s.class = 'compute' AND s.gap = 0
 WHERE j.ranks = 2 AND j.ranks_tapped = 2
   AND j.pattern IN ('exchange', 'ring', 'all-to-all')
   AND NOT ifnull(r.straggler, 0) AND r.residual_ns > 3 * r.spread_ns
 GROUP BY r.job, r.rank;
-- And who computes five times as long as any other while all wait for that: there
-- may be others that do the same work, but packets do not show which.
INSERT INTO temp.uneven
WITH c AS MATERIALIZED (
  SELECT job, rank, sum(time_ns) AS ns,
         row_number() OVER (PARTITION BY job
                            ORDER BY sum(time_ns) DESC, rank) AS nth
    FROM phase_share /*scan*/
   WHERE class = 'compute' AND gap = 0 AND rank IS NOT NULL
   GROUP BY job, rank)
SELECT a.job, a.rank, 1 - 1.0 * b.ns / a.ns,
       r.address || ' computes ' || human_ns(a.ns) || ' while all others wait, each '
         || 'of these ' || human_ns(b.ns) || ' at most: it may be slow, or may have '
         || 'more to do'
  FROM job j /*scan*/
  JOIN c a ON a.job = j.id AND a.nth = 1
  JOIN c b ON b.job = j.id AND b.nth = 2
  JOIN job_rank r ON r.job = a.job AND r.rank = a.rank
 WHERE j.ranks > 2 AND j.ranks_tapped = j.ranks AND j.iterations > 0
   AND a.ns >= 5 * b.ns AND a.ns - b.ns >= 0.2 * (j.last_ns - j.first_ns)
   AND NOT ifnull(r.straggler, 0)
   AND a.job NOT IN (SELECT job FROM temp.uneven)
   -- the path stays with who lets others wait otherwise
   AND (SELECT total(s.time_ns) FROM phase_share s
         WHERE s.job = j.id AND s.side <> 'needed')
       < 0.06 * (j.last_ns - j.first_ns);
