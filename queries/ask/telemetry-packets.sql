-- What path telemetry did packets carry that were lost or trimmed?
-- From telemetry in the packets (IFA, INT).  A packet lost upstream was not seen,
-- nor its telemetry; the packets next to it in PSN are listed instead.
--
-- param flow id NULL  of this flow only
-- param fate text NULL  lost (downstream of the capture point), next-to-loss, trimmed
-- param from time NULL  not before
-- param to time NULL  not after
-- param limit count 1000  maximum number of rows
-- column ns time  when it was seen
-- column tap_id id  tap.id
-- column frame id  its frame
-- column flow_id id  flow.id
-- column src text  sender
-- column dst text  receiver
-- column psn count  its number
-- column fate text  lost, next-to-loss, trimmed
-- column confidence share  of the verdict about the loss
-- column ce count  1: it was marked
-- column hops count  switches in its telemetry
-- column total_ns duration  time inside all of them
-- column switch text  the one that kept it longest
-- column egress text  its port out
-- column queue count  queue of that port
-- column residence_ns duration  time inside that one
-- column usual_ns duration  median there, of all packets of the flow
--
-- example fabscope query DB telemetry-packets --param fate=lost
SELECT p.ns, p.tap_id, p.frame, p.flow_id, f.src, f.dst, p.psn, p.fate,
       p.confidence, p.ce, p.hops, p.total_ns,
       ifnull(n.name, p.device_id) AS switch,
       ifnull(e.name, p.egress_port) AS egress, p.queue, p.residence_ns,
       (SELECT max(h.residence_p50_ns) FROM hop h
         WHERE h.tap_id = p.tap_id AND h.flow_id = p.flow_id
           AND h.device_id IS p.device_id AND h.egress_port IS p.egress_port
           AND h.queue IS p.queue) AS usual_ns
  FROM telemetry_packet p /*scan*/
  JOIN flow f ON f.id = p.flow_id
  LEFT JOIN node n ON n.kind = 'switch' AND n.device_id = p.device_id
  LEFT JOIN node_port e ON e.node = n.name AND e.port = p.egress_port
 WHERE (:flow IS NULL OR p.flow_id = :flow)
   AND (:fate IS NULL OR p.fate = :fate)
   AND (:from IS NULL OR p.ns >= :from)
   AND (:to IS NULL OR p.ns <= :to)
 ORDER BY p.ns, p.tap_id, p.frame
 LIMIT :limit
