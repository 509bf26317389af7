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
