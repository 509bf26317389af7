-- Which queue pairs stopped for good, and why?
-- One row per queue pair, in order of time: what its sender will have reported,
-- and what is left as the reason.
--
-- param error word NULL  retry rnr_retry remote_access remote_operation ...
-- param limit count 1000  at most so many
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column src_qp hex  the sender's queue pair
-- column error word  error status of the completion at the sender
-- column cause word  what is left as the reason
-- column tries count  retransmissions of the same PSN by RTO, or RNR NAKs
-- column psn id  that PSN
-- column ns time  the last of them, or the NAK
-- column dead_ns time  the sender gave up no later than this
-- column frame id  frame of the last
-- column tap text  capture point
-- column confidence real  that the queue pair is in error
-- column log text  file and line of the log that has it
-- column why text  what shows it, and what rules out other reasons
-- column flow_id id  flow.id
--
-- example fabscope query DB qp-errors --param error=retry
SELECT q.src, q.dst, f.dst_qp, f.src_qp, q.error, q.cause, q.tries, q.psn, q.ns,
       q.dead_ns, q.frame, t.name AS tap, q.confidence,
       s.path || ':' || l.line AS log, q.why, q.flow_id
  FROM qp_error q /*scan*/
  JOIN flow f ON f.id = q.flow_id
  LEFT JOIN tap t ON t.id = q.tap_id
  LEFT JOIN error_log l ON l.id = q.error_log_id
  LEFT JOIN evidence_source s ON s.id = l.source_id
 WHERE :error IS NULL OR q.error = :error
 ORDER BY q.ns, q.id
 LIMIT :limit
