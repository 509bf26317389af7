-- Where did the time of each recorded collective go?
-- Of the rank that recorded it: what it waited for at each moment, followed back
-- from the last data it received or sent, from flow to flow and rank to rank.  The shares
-- of a collective add up to 1.  The longest first.
-- param id id NULL  only this collective.id
-- param log id NULL  only of this job_log.id
-- param seq count NULL  only of this number, on all ranks
-- param limit count 100  maximum number of rows collectives
-- column id id  collective.id
-- column rank count  rank that recorded it
-- column address text  of its host
-- column op text  AllReduce AllGather ...
-- column seq count  counts on all ranks alike
-- column first_ns time  begin, by the clock of the capture
-- column exec_ns duration  length, as recorded
-- column error_ns duration  its times may be wrong by so much
-- column class word  as in table answer_share
-- column side text  needed network host unknown
-- column time_ns duration  so long
-- column share share  of it
-- column host text  who was waited for
-- column perhaps text  ambiguous with: paused (PFC is not visible); data not captured (that the rank waits for); concurrent operation (of its host)
-- example fabscope query DB collective-causes --param seq=3
WITH c AS MATERIALIZED (
  SELECT c.*, l.rank, l.address, l.error_ns
    FROM collective c /*scan*/
    JOIN job_log l ON l.id = c.job_log_id
   WHERE (:id IS NULL OR c.id = :id)
     AND (:log IS NULL OR c.job_log_id = :log)
     AND (:seq IS NULL OR c.seq = :seq)
     AND EXISTS (SELECT 1 FROM collective_time t WHERE t.collective_id = c.id)
   ORDER BY c.exec_ns DESC, c.id LIMIT :limit),
t AS (
  SELECT c.id, t.job, t.class, t.side, t.rank AS waited, sum(t.time_ns) AS ns,
         sum(sum(t.time_ns)) OVER (PARTITION BY c.id) AS whole
    FROM c JOIN collective_time t ON t.collective_id = c.id
   GROUP BY c.id, t.class, t.side, t.rank)
SELECT c.id, c.rank, c.address, c.op, c.seq, c.first_ns, c.exec_ns, c.error_ns,
       t.class, t.side, t.ns AS time_ns, 1.0 * t.ns / t.whole AS share,
       r.address AS host,
       nullif(rtrim(
         iif(t.class = 'host-late' AND EXISTS (
               SELECT 1 FROM observability /*scan*/
                WHERE what = 'pfc' AND verdict = 'no'), 'paused, ', '')
         || iif(t.class = 'host-late' AND NOT r.tapped, 'data not captured, ', '')
         || iif(c.beside, 'concurrent operation', ''), ', '), '') AS perhaps
  FROM c
  JOIN t ON t.id = c.id
  LEFT JOIN job_rank r ON r.job = t.job AND r.rank = t.waited
 ORDER BY c.exec_ns DESC, c.id, t.ns DESC
