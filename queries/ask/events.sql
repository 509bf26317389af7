-- What happened, event by event?
-- Kinds and the meaning of value: docs/schema.md.
--
-- param once flag NULL  1: what several taps saw of a flow, only where it shows best
-- param kind text NULL  only this kind
-- param flow id NULL  only this flow
-- param job count NULL  only this job (Ultra Ethernet)
-- param incident id NULL  only flows of this incident
-- param from time NULL  not before
-- param to time NULL  not after
-- param limit count 1000  maximum number of rows
-- column id id  event.id
-- column ns time  when
-- column tap_id id  tap.id
-- column flow_id id  flow.id
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column frame id  frame number in the file of the tap
-- column psn id  first PSN
-- column kind word  what
-- column count count  how many packets
-- column value count  by kind
-- column confidence share  confidence, 0..1
-- column detail reason  why; CSV and JSON: with the rule that decided
-- column spdcid hex16  UET: PDC id of the sender
--
-- uses events-dedup
-- example fabscope query DB events --param kind=nak_seq --param limit=10
SELECT e.id, e.ns, e.tap_id, e.flow_id, f.src, f.dst, f.dst_qp, e.frame,
       e.psn, e.kind, e.count, e.value, e.confidence, e.detail,
       f.spdcid
  FROM event /*scan*/ e
  LEFT JOIN flow f ON f.id = e.flow_id
 WHERE (NOT ifnull(:once, 0)
        OR (ifnull(e.flow_id, 0), e.kind) NOT IN
           (SELECT flow_id, kind FROM events_dedup /*scan*/))
   AND (:kind IS NULL OR e.kind = :kind)
   AND (:flow IS NULL OR e.flow_id = :flow)
   AND (:job IS NULL OR f.job_id = :job)
   AND (:incident IS NULL OR e.flow_id IN
        (SELECT flow_id FROM incident_flow WHERE incident_id = :incident))
   AND (:from IS NULL OR e.ns >= :from)
   AND (:to IS NULL OR e.ns <= :to)
 ORDER BY e.ns, e.id
 LIMIT :limit
