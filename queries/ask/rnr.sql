-- When was a receiver not ready (RNR), or had no room (NACK)?
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
-- column spdcid hex16  UET: PDC id of the sender
-- column frame id  frame number in the file of the tap
-- column psn id  first PSN
-- column wait_ns duration  the wait it asks for; UET asks for none
-- column reason text  UET: NACK code
--
-- example fabscope query DB rnr --param limit=10
SELECT e.ns, e.tap_id, e.flow_id, f.src, f.dst, f.dst_qp, f.spdcid, e.frame,
       e.psn,
       CASE WHEN f.transport LIKE 'UET-%' THEN NULL ELSE e.value END AS wait_ns,
       n.name AS reason
  FROM event e
  LEFT JOIN flow f ON f.id = e.flow_id
  LEFT JOIN nack n ON n.flow_id = e.flow_id AND n.code = e.value
                  AND f.transport LIKE 'UET-%'
 WHERE e.kind = 'rnr_nak'
   AND (:flow IS NULL OR e.flow_id = :flow)
   AND (:job IS NULL OR f.job_id = :job)
   AND (:incident IS NULL OR e.flow_id IN
        (SELECT flow_id FROM incident_flow WHERE incident_id = :incident))
 ORDER BY e.ns, e.id
 LIMIT :limit
