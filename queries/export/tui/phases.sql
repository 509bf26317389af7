-- Which bursts of communication were there, and where did their time go?
--
-- param from time NULL  not before
-- param to time NULL  not after
-- param limit count 1000  maximum number of rows
-- column job id  job.id
-- column iteration count  from 0
-- column first_ns time  first packet
-- column duration_ns duration  until the last data or its acknowledgement
-- column gap_ns duration  of silence before it
-- column pattern word  ring, tree, all-to-all ...; NULL not recognized
-- column slow flag  1: longer than the others, beyond their spread
-- column cause word  the class of time it lost most to
-- column lost_ns duration  to that
-- column waited_for text  the rank that was waited for then
-- column late_rank text  the rank that began late by itself
-- column late_ns duration  so much
-- column bytes bytes  payload, each byte counted once
-- column busbw_bps rate  wire busbw (algorithm-agnostic)
-- column ranks count  ranks that sent
-- column cut flag  1: the capture begins or ends inside
-- column id id  phase.id
WITH lost AS (
  SELECT t.phase_id, t.class, t.rank, sum(t.time_ns) AS lost_ns,
         row_number() OVER (PARTITION BY t.phase_id
                                ORDER BY sum(t.time_ns) DESC, t.class, t.rank)
           AS place
    FROM phase_share t /*scan*/
   WHERE t.side <> 'needed' AND NOT t.gap
   GROUP BY t.phase_id, t.class, t.rank)
SELECT p.job, p.iteration, p.first_ns, p.last_ns - p.first_ns AS duration_ns,
       p.gap_ns, p.pattern, p.slow, l.class AS cause, l.lost_ns,
       w.address AS waited_for, r.address AS late_rank, p.late_ns, p.bytes,
       p.busbw_bps, p.ranks, p.cut, p.id
  FROM phase p /*scan*/
  LEFT JOIN lost l ON l.phase_id = p.id AND l.place = 1
  LEFT JOIN job_rank w ON w.job = p.job AND w.rank = l.rank
  LEFT JOIN job_rank r ON r.job = p.job AND r.rank = p.late_rank
 WHERE (:from IS NULL OR p.last_ns >= :from)
   AND (:to IS NULL OR p.first_ns <= :to)
 ORDER BY p.first_ns, p.id
 LIMIT :limit
