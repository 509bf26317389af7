-- Which collectives did the job record as slow, and which rank was last?
-- All ranks that wrote records.  Nobody can finish before all have begun: the
-- rank with the shortest time came last, and the others waited for it.  That
-- needs no clocks.  Where their packets are known, what cost most of their time.
-- In a time window: those of which it is known when they were.
--
-- param over real 1.5  times the median of its kind
-- param from time NULL  not before
-- param to time NULL  not after
-- param limit count 100  maximum number of rows
-- column communicator text  the group of ranks
-- column op text  AllReduce AllGather ...
-- column seq count  counts on all ranks alike
-- column bytes bytes  message size, as recorded
-- column ranks count  that recorded it
-- column exec_ns duration  of the rank that took longest
-- column typical_ns duration  the same, median of its kind and size
-- column last_rank count  last to begin; NULL: all at about the same time
-- column waited_ns duration  so much longer others took than it
-- column phase_id id  phase.id it lies in
-- column class word  what cost most of their time but what they needed
-- column lost_ns duration  so much, all ranks together
-- column share share  of all their time
-- column host text  who was waited for in that
-- column job id  job.id of their packets
--
-- example fabscope query DB slow-collectives --param over=1.2
WITH c AS MATERIALIZED (
  SELECT c.id, l.communicator, c.op, c.seq, c.bytes, l.rank, c.exec_ns,
         c.phase_id, c.first_ns, c.last_ns
    FROM collective c /*scan*/
    JOIN job_log l ON l.id = c.job_log_id
   WHERE c.exec_ns > 0 AND c.op NOT IN ('Send', 'Recv')),
g AS MATERIALIZED (
  SELECT communicator, op, seq, bytes, count(DISTINCT rank) AS ranks,
         max(exec_ns) AS most, min(exec_ns) AS least, max(phase_id) AS phase_id,
         min(first_ns) AS first_ns, max(last_ns) AS last_ns
    FROM c GROUP BY communicator, op, seq, bytes),
k AS (
  SELECT communicator, op, bytes, median(most) AS typical
    FROM g GROUP BY communicator, op, bytes),
p AS MATERIALIZED (
  SELECT c.communicator, c.op, c.seq, t.job, t.class, t.rank,
         sum(iif(t.side = 'needed', 0, t.time_ns)) AS ns,
         sum(sum(t.time_ns)) OVER (PARTITION BY c.communicator, c.op, c.seq)
           AS whole,
         row_number() OVER (PARTITION BY c.communicator, c.op, c.seq
                            ORDER BY sum(iif(t.side = 'needed', 0, t.time_ns))
                                     DESC) AS nth
    FROM c JOIN collective_time t ON t.collective_id = c.id
   GROUP BY c.communicator, c.op, c.seq, t.job, t.class, t.rank)
SELECT g.communicator, g.op, g.seq, g.bytes, g.ranks, g.most AS exec_ns,
       CAST(k.typical AS INTEGER) AS typical_ns,
       CASE WHEN g.ranks > 1 AND g.most - g.least > 0.2 * k.typical
            THEN (SELECT c.rank FROM c
                   WHERE c.communicator = g.communicator AND c.op = g.op
                     AND c.seq = g.seq AND c.exec_ns = g.least LIMIT 1)
            END AS last_rank,
       CASE WHEN g.ranks > 1 AND g.most - g.least > 0.2 * k.typical
            THEN g.most - g.least END AS waited_ns,
       g.phase_id, iif(p.ns > 0, p.class, NULL) AS class,
       nullif(p.ns, 0) AS lost_ns, nullif(1.0 * p.ns / p.whole, 0) AS share,
       iif(p.ns > 0, r.address, NULL) AS host, p.job
  FROM g
  JOIN k ON k.communicator = g.communicator AND k.op = g.op
        AND k.bytes IS g.bytes
  LEFT JOIN p ON p.communicator IS g.communicator AND p.op = g.op
             AND p.seq IS g.seq AND p.nth = 1
  LEFT JOIN job_rank r ON r.job = p.job AND r.rank = p.rank
 WHERE g.most > :over * k.typical
   AND (:from IS NULL OR g.last_ns >= :from)
   AND (:to IS NULL OR g.first_ns <= :to)
 ORDER BY g.most DESC, g.seq
 LIMIT :limit
