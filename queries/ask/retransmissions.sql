-- Which packets were retransmitted, and why?
--
-- param trigger text NULL  nak, timeout, rnr, spurious, implied, unknown
-- param flow id NULL  only this flow
-- param job count NULL  only this job (Ultra Ethernet)
-- param incident id NULL  only flows of this incident
-- param limit count 1000  maximum number of rows
-- column ns time  when
-- column tap_id id  tap.id
-- column flow_id id  flow.id
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column frame id  frame number in the file of the tap
-- column psn id  first PSN
-- column trigger word  what made the sender do it
-- column count count  how many packets
-- column frame_last id  frame of the last retransmission
-- column confidence share  confidence, 0..1
-- column detail reason  why; CSV and JSON: with the rule that decided
--
-- example fabscope query DB retransmissions --param limit=10
SELECT e.ns, e.tap_id, e.flow_id, f.src, f.dst, f.dst_qp, e.frame, e.psn,
       substr(e.kind, length('retransmit_') + 1) AS trigger, e.count,
       e.value AS frame_last, e.confidence, e.detail
  FROM event e
  LEFT JOIN flow f ON f.id = e.flow_id
 WHERE e.kind IN ('retransmit_nak', 'retransmit_timeout', 'retransmit_rnr',
                  'retransmit_spurious', 'retransmit_implied',
                  'retransmit_unknown')
   AND (:trigger IS NULL OR e.kind = 'retransmit_' || :trigger)
   AND (:flow IS NULL OR e.flow_id = :flow)
   AND (:job IS NULL OR f.job_id = :job)
   AND (:incident IS NULL OR e.flow_id IN
        (SELECT flow_id FROM incident_flow WHERE incident_id = :incident))
 ORDER BY e.ns, e.id
 LIMIT :limit
