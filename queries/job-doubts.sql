-- Which causes can this capture not tell apart?
-- column job id  job.id
-- column classes text  as in table phase_time, in capitals
-- column time_ns duration  so much may be either
-- column share share  of the communication time
-- column why text  the reason
-- example fabscope query DB job-doubts
SELECT d.job, d.classes, d.time_ns, 1.0 * d.time_ns / j.comm_ns AS share, d.why
  FROM phase_doubt d /*scan*/
  JOIN job j ON j.id = d.job
 ORDER BY d.job, d.time_ns DESC LIMIT 200
