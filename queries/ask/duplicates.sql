-- Which packets were duplicates, or spurious (unneeded) retransmissions?
-- duplicate: the same transmission twice; retransmit_spurious: retransmitted,
-- though it had arrived.
--
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
-- column kind word  duplicate or retransmit_spurious
-- column count count  how many packets
-- column detail reason  why; CSV and JSON: with the rule that decided
--
-- example fabscope query DB duplicates --param limit=10
SELECT e.ns, e.tap_id, e.flow_id, f.src, f.dst, f.dst_qp, e.frame, e.psn,
       e.kind, e.count, e.detail
  FROM event e
  LEFT JOIN flow f ON f.id = e.flow_id
 WHERE e.kind IN ('duplicate', 'retransmit_spurious')
   AND (:flow IS NULL OR e.flow_id = :flow)
   AND (:job IS NULL OR f.job_id = :job)
   AND (:incident IS NULL OR e.flow_id IN
        (SELECT flow_id FROM incident_flow WHERE incident_id = :incident))
 ORDER BY e.ns, e.id
 LIMIT :limit
