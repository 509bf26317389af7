-- Which operations failed at their target, and with which error (Ultra Ethernet)?
-- By the return codes of responses.
--
-- param once flag NULL  1: what several taps saw of a flow, only where it shows best
-- param flow id NULL  only this flow
-- param job count NULL  only this job
-- param incident id NULL  only flows of this incident
-- param from time NULL  not before
-- param to time NULL  not after
-- param limit count 1000  maximum number of rows
-- column ns time  when
-- column tap_id id  tap.id
-- column flow_id id  flow.id
-- column src text  who asked
-- column dst text  who refused
-- column spdcid hex16  PDC id of the sender
-- column job_id count  job
-- column frame id  frame number in the file of the tap
-- column psn id  PSN that is acknowledged
-- column code count  return code
-- column name text  its name; NULL: reserved, or of a manufacturer
--
-- uses events-dedup
-- example fabscope query DB errors --param limit=10
SELECT e.ns, e.tap_id, e.flow_id, f.src, f.dst, f.spdcid, f.job_id, e.frame,
       e.psn, e.value AS code, uet_says(e.kind, e.value) AS name
  FROM event e /*scan*/
  LEFT JOIN flow f ON f.id = e.flow_id
 WHERE e.kind = 'response_error'
   AND (NOT ifnull(:once, 0)
        OR (ifnull(e.flow_id, 0), e.kind) NOT IN
           (SELECT flow_id, kind FROM events_dedup /*scan*/))
   AND (:flow IS NULL OR e.flow_id = :flow)
   AND (:job IS NULL OR f.job_id = :job)
   AND (:incident IS NULL OR e.flow_id IN
        (SELECT flow_id FROM incident_flow WHERE incident_id = :incident))
   AND (:from IS NULL OR e.ns >= :from) AND (:to IS NULL OR e.ns <= :to)
 ORDER BY e.ns, e.id
 LIMIT :limit
