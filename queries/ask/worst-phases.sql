-- Which phases took longest, and why?
-- param job id NULL  one job only
-- param limit count 10  of each job
-- column job id  job.id
-- column iteration count  from 0
-- column phase id  phase.id
-- column first_ns time  begin
-- column length_ns duration  from first to last packet
-- column over_ns duration  more than the median phase
-- column slow flag  longer than the others, beyond their spread
-- column cause word  class of what took most of the time it did not need
-- column side text  network host unknown
-- column cause_ns duration  so long
-- column rank count  who was waited for
-- column host text  its address
-- column flow_id id  flow.id
-- column late_host text  who began late by itself
-- column late_ns duration  so much
-- example fabscope query DB worst-phases --param limit=3
WITH p AS (
  SELECT p.*, p.last_ns - p.first_ns AS ns,
         row_number() OVER (PARTITION BY p.job
                            ORDER BY p.last_ns - p.first_ns DESC, p.id) AS nth
    FROM phase p /*scan*/
   WHERE NOT p.cut AND (:job IS NULL OR p.job = :job)),
t AS (
  SELECT t.*, row_number() OVER (PARTITION BY t.phase_id
                                 ORDER BY t.time_ns DESC, t.class, t.flow_id)
                AS nth
    FROM p JOIN phase_share t ON t.phase_id = p.id
   WHERE p.nth <= :limit AND t.side <> 'needed' AND NOT t.gap)
SELECT p.job, p.iteration, p.id AS phase, p.first_ns, p.ns AS length_ns,
       p.ns - j.phase_p50_ns AS over_ns, p.slow, t.class AS cause, t.side,
       t.time_ns AS cause_ns, t.rank, r.address AS host, t.flow_id,
       l.address AS late_host, p.late_ns
  FROM p
  JOIN job j ON j.id = p.job
  LEFT JOIN t ON t.phase_id = p.id AND t.nth = 1
  LEFT JOIN job_rank r ON r.job = p.job AND r.rank = t.rank
  LEFT JOIN job_rank l ON l.job = p.job AND l.rank = p.late_rank
 WHERE p.nth <= :limit
 ORDER BY p.job, p.nth
