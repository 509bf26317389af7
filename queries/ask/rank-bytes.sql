-- How much does each rank and each rail of a job send and receive?
-- Rails come from the topology file; a row without a rank is a whole rail.
-- param job id NULL  one job only
-- column job id  job.id
-- column rail count  rail
-- column rank count  rank; NULL: all of the rail
-- column host text  its address
-- column bytes_out bytes  sent
-- column bytes_in bytes  received
-- column late_ns duration  late by itself, sum
-- column waited_ns duration  the job waited for it
-- example fabscope query DB rank-bytes
WITH w AS (
  SELECT p.job, t.rank, sum(t.time_ns) AS ns
    FROM phase_share t /*scan*/ JOIN phase p ON p.id = t.phase_id
   WHERE t.side <> 'needed' AND NOT p.cut
   GROUP BY p.job, t.rank),
r AS (
  SELECT r.job, r.rail, r.rank, r.address, r.bytes_out, r.bytes_in, r.late_ns,
         w.ns
    FROM job_rank r /*scan*/
    LEFT JOIN w ON w.job = r.job AND w.rank = r.rank
   WHERE :job IS NULL OR r.job = :job)
SELECT job, rail, rank, address AS host, bytes_out, bytes_in, late_ns,
       ns AS waited_ns
  FROM r
UNION ALL
SELECT job, rail, NULL, NULL, sum(bytes_out), sum(bytes_in), sum(late_ns),
       sum(ns)
  FROM r WHERE rail IS NOT NULL
 GROUP BY job, rail
 ORDER BY 1, 2, 3 LIMIT 1000
