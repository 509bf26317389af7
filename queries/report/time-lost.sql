-- What did each cause cost each job?
--
-- param limit count 1000  at most so many
-- column job id  job.id
-- column class text  paused, recovery, rnr_wait, ..., wire, unknown
-- column time_ns duration  of the communication of the job
-- column share share  of the communication of the job
-- column lost_ns duration  of this, more than the wire needs
-- column phases count  phases in which it had a part
--
-- example fabscope query DB report/time-lost
SELECT p.job, t.class, sum(t.time_ns) AS time_ns,
       1.0 * sum(t.time_ns) / sum(sum(t.time_ns)) OVER (PARTITION BY p.job)
         AS share,
       sum(t.lost_ns) AS lost_ns, count(DISTINCT p.id) AS phases
  FROM phase_time t /*scan*/
  JOIN phase p ON p.id = t.phase_id
 GROUP BY p.job, t.class
 ORDER BY p.job, time_ns DESC, t.class
 LIMIT :limit
