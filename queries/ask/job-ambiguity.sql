-- Which causes are ambiguous in this capture?
-- column job id  job.id
-- column classes word  as in table answer_share
-- column time_ns duration  so much may be either
-- column share share  of its time
-- column why text  the reason
-- example fabscope query DB job-ambiguity
SELECT d.job, d.classes, d.time_ns,
       1.0 * d.time_ns / nullif(a.total_ns, 0) AS share, d.why
  FROM phase_ambiguity d /*scan*/
  JOIN answer a ON a.scope = 'job' AND a.job = d.job
 ORDER BY d.job, d.time_ns DESC LIMIT 200
