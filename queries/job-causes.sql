-- What did the communication time of a job go to, and what would it be without?
-- Followed back from the end of each phase: what stalled the job at each
-- moment.  The shares of a job add up to 1.  Whose time it is: network; sender
-- and receiver (hosts that were late, or not ready); round (a round trip that
-- the transport waits for); wire (the bytes have to pass); unknown.
-- param job id NULL  one job only
-- column job id  job.id
-- column class text  as in table phase_time
-- column part text  of recovery
-- column whose text  network sender receiver round wire unknown
-- column time_ns duration  time of the job
-- column share share  of its communication time
-- column phases count  phases in which it happened
-- column gain_ns duration  so much shorter without it
-- column jct_without_ns duration  and so long it would have been
-- column worst_rank count  who was waited for longest
-- column worst_host text  its address
-- column worst_ns duration  so long
-- example fabscope query DB job-causes
WITH t AS (
  SELECT p.job, t.class, t.part, t.rank, t.time_ns, t.lost_ns, t.phase_id
    FROM phase_time t /*scan*/
    JOIN phase p ON p.id = t.phase_id
   WHERE NOT p.cut AND (:job IS NULL OR p.job = :job)),
r AS (
  SELECT job, class, part, rank, sum(time_ns) AS ns,
         row_number() OVER (PARTITION BY job, class, part
                            ORDER BY sum(time_ns) DESC, rank) AS nth
    FROM t GROUP BY job, class, part, rank),
c AS (
  SELECT job, class, part, sum(time_ns) AS ns, sum(lost_ns) AS lost,
         count(DISTINCT phase_id) AS phases
    FROM t GROUP BY job, class, part)
SELECT c.job, c.class, c.part,
       whose(c.class) AS whose,
       c.ns AS time_ns,
       1.0 * c.ns / sum(c.ns) OVER (PARTITION BY c.job) AS share,
       c.phases, c.lost AS gain_ns, j.jct_ns - c.lost AS jct_without_ns,
       r.rank AS worst_rank, k.address AS worst_host, r.ns AS worst_ns
  FROM c
  JOIN job j ON j.id = c.job
  JOIN r ON r.job = c.job AND r.class = c.class AND r.part = c.part
        AND r.nth = 1
  LEFT JOIN job_rank k ON k.job = c.job AND k.rank = r.rank
 ORDER BY c.job, c.ns DESC LIMIT 1000
