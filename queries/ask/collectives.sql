-- What collectives did the job record, and which packets are theirs?
-- Each by the rank that wrote it.  Begin and end are those of the record, by the
-- clock of the capture.  What cost most of its time is named here, all of it by
-- collective-causes.
--
-- param log id NULL  only of this job_log.id
-- param seq count NULL  only of this number, on all ranks
-- param limit count 1000  maximum number of rows
-- column id id  collective.id
-- column log_id id  job_log.id
-- column rank count  who wrote it
-- column address text  of its host
-- column op text  AllReduce AllGather ...
-- column seq count  counts on all ranks alike
-- column bytes bytes  message size, as recorded
-- column state word  completed started scheduled
-- column first_ns time  begin, by the clock of the capture
-- column error_ns duration  that may be wrong by so much
-- column exec_ns duration  length, as recorded
-- column before_ns duration  from its begin to the first packet of its host
-- column sent_bytes bytes  payload its host sent in it
-- column got_bytes bytes  payload its host received in it
-- column wire_bps rate  sent, over the length
-- column busbw_bps rate  bus bandwidth, as recorded
-- column phase_id id  phase.id it lies in
-- column class word  what cost most of its time but what it needed
-- column class_ns duration  so much of its length
-- column host text  who was waited for in that
-- column beside flag  1: another operation of its host ran at the same time, packets and time may be of either
--
-- example fabscope query DB collectives --param seq=3
WITH c AS MATERIALIZED (
  SELECT * FROM collective /*scan*/
   WHERE (:log IS NULL OR job_log_id = :log)
     AND (:seq IS NULL OR seq = :seq)
   ORDER BY first_ns IS NULL, first_ns, id LIMIT :limit),
t AS (
  SELECT c.id, p.job, p.class, p.rank, sum(p.time_ns) AS ns,
         row_number() OVER (PARTITION BY c.id
                                ORDER BY sum(p.time_ns) DESC) AS nth
    FROM c
    JOIN collective_time p ON p.collective_id = c.id
   WHERE p.side <> 'needed'
   GROUP BY c.id, p.class, p.rank)
SELECT c.id, c.job_log_id AS log_id, l.rank, l.address, c.op, c.seq, c.bytes,
       c.state, c.first_ns, l.error_ns, c.exec_ns,
       c.sent_first_ns - c.first_ns AS before_ns, c.sent_bytes, c.got_bytes,
       CAST(8e9 * c.sent_bytes / nullif(c.exec_ns, 0) AS INTEGER) AS wire_bps,
       c.busbw_bps, c.phase_id, t.class, t.ns AS class_ns,
       r.address AS host, c.beside
  FROM c
  JOIN job_log l ON l.id = c.job_log_id
  LEFT JOIN t ON t.id = c.id AND t.nth = 1
  LEFT JOIN job_rank r ON r.job = t.job AND r.rank = t.rank
 ORDER BY c.first_ns IS NULL, c.first_ns, c.id
