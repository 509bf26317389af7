-- Which messages took longest from first packet to acknowledgement?
-- As seen at the capture point: the delay from the requester to it is not included.
--
-- param once flag NULL  1: of taps that saw a flow, only the one with most of its packets
-- param flow id NULL  only this flow
-- param job count NULL  only this job (Ultra Ethernet)
-- param op text NULL  send, write, read, atomic, ...
-- param limit count 20  maximum number of rows
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
-- example fabscope query DB slow-messages --param limit=10
SELECT m.id, m.flow_id, f.src, f.dst, m.op, m.first_ns,
       m.completed_ns - m.first_ns AS latency_ns,
       m.last_ns - m.first_ns AS send_ns, m.bytes,
       CAST(8e9 * m.bytes / nullif(m.completed_ns - m.first_ns, 0) AS INTEGER)
         AS rate_bps,
       m.psn_first, m.psn_last, m.status
  FROM message /*scan*/ m
  JOIN flow f ON f.id = m.flow_id
 WHERE m.completed_ns IS NOT NULL
   AND (NOT ifnull(:once, 0)
        OR m.flow_id NOT IN (SELECT flow_id FROM same_flow /*scan*/))
   AND (:flow IS NULL OR m.flow_id = :flow)
   AND (:job IS NULL OR f.job_id = :job)
   AND (:op IS NULL OR m.op = :op)
 ORDER BY latency_ns DESC, m.id
 LIMIT :limit
