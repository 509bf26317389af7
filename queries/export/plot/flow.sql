-- Whose packets does the picture of a flow have, and where were they seen?
-- A row for the flow and one for its other direction, for each of their taps.
--
-- param id id required  flow.id
-- column reverse flag  1: of the other direction
-- column tap_id id  tap.id
-- column tap text  the tap's name
-- column transport text  RC UC UD XRC DC UET-ROD UET-RUD UET-RUDI
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair they are sent to
-- column spdcid hex16  UET: source PDC
-- column number id  as a packet has it: dst_qp; UET: PDC id or job + 1 << 24
-- column pmtu id  path MTU, bytes of payload
-- column first_ns time  first packet
-- column last_ns time  last packet
-- column origin_ns time  first packet of the capture
SELECT f.id <> :id AS reverse, ifnull(t.tap_id, f.tap_id) AS tap_id,
       p.name AS tap, f.transport, f.src, f.dst, f.dst_qp, f.spdcid,
       ifnull(f.dst_qp, (1 << 24) + ifnull(f.spdcid, ifnull(f.job_id, 0)))
         AS number,
       f.pmtu, f.first_ns, f.last_ns,
       (SELECT min(first_ns) FROM capture) AS origin_ns
  FROM flow f
  LEFT JOIN flow_tap t ON t.flow_id = f.id
  LEFT JOIN tap p ON p.id = ifnull(t.tap_id, f.tap_id)
 WHERE f.id = :id
    OR f.id = (SELECT peer_flow_id FROM flow WHERE id = :id)
 ORDER BY reverse, tap_id
