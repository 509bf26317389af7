-- Which ranks form groups of data, pipeline, expert or tensor parallelism?
-- By what each rank sends to each, and when in an iteration: see docs/rules.md.
-- param job id NULL  one job only
-- column job id  job.id
-- column grp count  group
-- column kind word  dp pp ep tp
-- column ranks count  ranks in it
-- column hosts text  their addresses, in order of rank
-- example fabscope query DB job-groups
SELECT job, grp, kind, count(*) AS ranks, group_concat(address, ' ') AS hosts
  FROM (SELECT g.job, g.grp, g.kind, g.address
          FROM job_group g /*scan*/
          JOIN job_rank r ON r.job = g.job AND r.address = g.address
         WHERE :job IS NULL OR g.job = :job
         ORDER BY g.job, g.grp, r.rank)
 GROUP BY job, grp
 ORDER BY job, grp LIMIT 1000
