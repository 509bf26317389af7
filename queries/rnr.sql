-- When was a receiver not ready (RNR)?
--
-- param flow id NULL  only this flow
-- param incident id NULL  only flows of this incident
-- param limit count 1000  at most so many
-- column ns time  when
-- column tap_id id  tap.id
-- column flow_id id  flow.id
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column frame id  frame number in the file of the tap
-- column psn id  first packet number
-- column wait_ns duration  the wait it asks for
--
-- example fabscope query DB rnr --param limit=10
SELECT e.ns, e.tap_id, e.flow_id, f.src, f.dst, f.dst_qp, e.frame, e.psn,
       e.value AS wait_ns
  FROM event e
  LEFT JOIN flow f ON f.id = e.flow_id
 WHERE e.kind = 'rnr_nak'
   AND (:flow IS NULL OR e.flow_id = :flow)
   AND (:incident IS NULL OR e.flow_id IN
        (SELECT flow_id FROM incident_flow WHERE incident_id = :incident))
 ORDER BY e.ns, e.id
 LIMIT :limit
