-- Where did the time of recorded collectives go, by kind of operation?
-- As collective-causes, added up over the ranks that recorded them: by job and
-- kind of operation.  The shares of a kind add up to 1.
-- param job id NULL  one job only
-- column job id  job.id
-- column op text  AllReduce AllGather ...
-- column operations count  with a known time, counted per rank
-- column class word  as in table answer_share
-- column side text  needed network host unknown
-- column time_ns duration  sum over all of them
-- column share share  of all their time
-- column worst_host text  host that the others waited longest for
-- column worst_ns duration  so long
-- example fabscope query DB record-causes
WITH t AS MATERIALIZED (
  SELECT t.job, c.op, t.class, t.side, t.rank, t.collective_id, t.time_ns
    FROM collective_time t /*scan*/
    JOIN collective c ON c.id = t.collective_id
   WHERE :job IS NULL OR t.job = :job),
n AS (
  SELECT job, op, count(DISTINCT collective_id) AS operations,
         sum(time_ns) AS ns
    FROM t GROUP BY job, op),
r AS (
  SELECT job, op, class, side, rank, sum(time_ns) AS ns,
         row_number() OVER (PARTITION BY job, op, class, side
                            ORDER BY sum(time_ns) DESC, rank) AS nth
    FROM t GROUP BY job, op, class, side, rank),
s AS (
  SELECT job, op, class, side, sum(time_ns) AS ns
    FROM t GROUP BY job, op, class, side)
SELECT s.job, s.op, n.operations, s.class, s.side, s.ns AS time_ns,
       1.0 * s.ns / n.ns AS share, k.address AS worst_host, r.ns AS worst_ns
  FROM s
  JOIN n ON n.job = s.job AND n.op IS s.op
  JOIN r ON r.job = s.job AND r.op IS s.op AND r.class = s.class
        AND r.side = s.side AND r.nth = 1
  LEFT JOIN job_rank k ON k.job = s.job AND k.rank = r.rank
 ORDER BY s.job, n.ns DESC, s.op, s.ns DESC LIMIT 1000
