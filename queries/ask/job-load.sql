-- How much did each job send over time (Ultra Ethernet)?
-- From the series of its flows, of one at several taps where it shows most;
-- steps of one width are added up, and each width has rows of its own.
--
-- param job count NULL  only this job
-- param from time NULL  not before
-- param to time NULL  not after
-- param limit count 1000  maximum number of rows
-- column job_id count  job
-- column start_ns time  begin of the step
-- column width_ns duration  its length
-- column flows count  flows that sent in it
-- column packets count  packets
-- column bytes bytes  bytes
-- column rate_bps rate  bytes over width
-- column ce count  packets marked ECN CE at this capture point
-- column retransmitted count  packets retransmitted
--
-- uses flow-once
-- example fabscope query DB job-load --param limit=20
SELECT f.job_id, b.start_ns, b.width_ns, count(*) AS flows,
       sum(b.packets) AS packets, sum(b.bytes) AS bytes,
       CAST(8e9 * sum(b.bytes) / nullif(b.width_ns, 0) AS INTEGER) AS rate_bps,
       sum(b.ce) AS ce, sum(b.retransmitted) AS retransmitted
  FROM bin b
  JOIN flow f ON f.id = b.scope_id
  JOIN flow_once o ON o.flow_id = f.id AND o.counted_id = f.id
 WHERE b.scope = 'flow' AND f.job_id IS NOT NULL
   AND (:job IS NULL OR f.job_id = :job)
   AND (:from IS NULL OR b.start_ns + b.width_ns > :from)
   AND (:to IS NULL OR b.start_ns <= :to)
 GROUP BY f.job_id, b.start_ns, b.width_ns
 ORDER BY b.start_ns, f.job_id, b.width_ns
 LIMIT :limit
