-- When did RTOs expire, after how long an idle time?
-- A timer of the negotiated code fires between one and four times its length.
--
-- param flow id NULL  only this flow
-- param job count NULL  only this job (Ultra Ethernet)
-- param incident id NULL  only flows of this incident
-- param limit count 1000  maximum number of rows
-- column flow_id id  flow.id
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column first_ns time  start of the silence
-- column idle_ns duration  its length
-- column negotiated_ns duration  length of the timer by CM
-- column cause word  what was wrong
-- column psn id  first PSN retransmitted
-- column retransmitted_packets count  retransmitted
-- column tap_id id  tap.id
-- column frame_first id  frame of the first retransmission
-- column confidence share  confidence, 0..1
--
-- example fabscope query DB timeouts
SELECT r.flow_id, f.src, f.dst, f.dst_qp, r.first_ns, r.idle_ns,
       4096 * (1 << nullif(f.ack_timeout_code, 0)) AS negotiated_ns,
       r.cause, r.psn, r.retransmitted_packets, r.tap_id, r.frame_first,
       r.confidence
  FROM recovery /*scan*/ r
  JOIN flow f ON f.id = r.flow_id
 WHERE r.trigger = 'timeout'
   AND (:flow IS NULL OR r.flow_id = :flow)
   AND (:job IS NULL OR f.job_id = :job)
   AND (:incident IS NULL OR r.flow_id IN
        (SELECT flow_id FROM incident_flow WHERE incident_id = :incident))
 ORDER BY r.idle_ns DESC, r.first_ns, r.id
 LIMIT :limit
