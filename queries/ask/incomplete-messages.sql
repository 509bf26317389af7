-- Which messages were not completed, and why not?
-- capture_gap: the capture misses a part; lost: not delivered while the capture
-- ran; cut: the capture began or ended inside; qp_error: the queue pair died;
-- aborted: its sender gave it up (Ultra Ethernet: MSG_ERROR, initiator error, or
-- CLOSE after retransmissions without an ACK).
--
-- param flow id NULL  only this flow
-- param job count NULL  only this job (Ultra Ethernet)
-- param limit count 1000  maximum number of rows
-- column id id  message.id
-- column flow_id id  flow.id
-- column src text  requester
-- column dst text  responder
-- column op text  send, write, read, atomic, ...
-- column first_ns time  first packet
-- column latency_ns duration  until its ACK, measured at the capture point
-- column send_ns duration  first to last packet
-- column bytes bytes  length
-- column rate_bps rate  length by time
-- column psn_first id  first PSN
-- column psn_last id  last PSN
-- column status word  complete, unacked, capture_gap, lost, cut, qp_error, aborted
--
-- example fabscope query DB incomplete-messages
SELECT m.id, m.flow_id, f.src, f.dst, m.op, m.first_ns,
       m.completed_ns - m.first_ns AS latency_ns,
       m.last_ns - m.first_ns AS send_ns, m.bytes,
       CAST(8e9 * m.bytes / nullif(m.completed_ns - m.first_ns, 0) AS INTEGER)
         AS rate_bps,
       m.psn_first, m.psn_last, m.status
  FROM message /*scan*/ m
  JOIN flow f ON f.id = m.flow_id
 WHERE m.status IN ('capture_gap', 'lost', 'cut', 'qp_error', 'aborted')
   AND (:flow IS NULL OR m.flow_id = :flow)
   AND (:job IS NULL OR f.job_id = :job)
 ORDER BY m.first_ns, m.id
 LIMIT :limit
