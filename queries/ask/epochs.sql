-- Which queue pair numbers were used again?
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
-- column epoch count  how often before
-- column detail text  what showed it
--
-- example fabscope query DB epochs --param limit=10
SELECT e.ns, e.tap_id, e.flow_id, f.src, f.dst, f.dst_qp, e.frame, e.psn,
       e.value AS epoch, e.detail
  FROM event e
  LEFT JOIN flow f ON f.id = e.flow_id
 WHERE e.kind = 'epoch'
   AND (:flow IS NULL OR e.flow_id = :flow)
   AND (:job IS NULL OR f.job_id = :job)
   AND (:incident IS NULL OR e.flow_id IN
        (SELECT flow_id FROM incident_flow WHERE incident_id = :incident))
 ORDER BY e.ns, e.id
 LIMIT :limit
