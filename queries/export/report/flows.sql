-- Which flows are there, the most impaired first, then by size?
-- A flow that several taps saw is one row, with the largest figure of these taps.
--
-- param limit count 500  maximum number of rows
-- column id id  flow.id
-- column transport text  RC, UC, UD, ..., UET-RUD, ...
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column spdcid hex16  UET: PDC id of the sender
-- column tap text  all taps that saw it; NULL there is only one
-- column packets count  packets
-- column bytes bytes  bytes on the wire
-- column rate_bps rate  bytes over time
-- column lost count  lost in the network, at least
-- column retransmitted count  packets retransmitted
-- column trimmed count  UET: packets trimmed by switches
-- column timeouts count  retransmission timeouts (RTO)
-- column recovery_ns duration  time lost in recoveries
-- column ce count  packets marked ECN CE
-- column cnp count  CNPs that the sender of this flow received
-- column latency_mean_ns duration  completion of a message, on average
-- column latency_max_ns duration  of the slowest
-- column visibility word  directions captured: both, fwd, rev
-- column first_ns time  first packet
-- column duration_ns duration  first to last packet
-- column messages count  messages
-- column capture_missing count  delivered, but missing in the capture
-- column rnr count  RNR NAKs
-- column reordered count  packets reordered upstream of the capture point
--
-- example fabscope query DB report/flows --param limit=20
WITH once AS (
  SELECT ifnull(t.counted_id, f.id) AS id, max(f.impaired) AS impaired,
         max(f.lost_upstream + f.lost_downstream_min) AS lost,
         max(f.retransmitted) AS retransmitted, max(f.trimmed) AS trimmed,
         max(f.timeouts) AS timeouts, max(f.recovery_ns) AS recovery_ns,
         max(f.ce) AS ce, max(f.cnp) AS cnp, max(f.messages) AS messages,
         max(f.rnr_nak) AS rnr, max(f.reordered) AS reordered,
         CASE WHEN (SELECT count(*) FROM tap /*scan*/) > 1
              THEN group_concat(p.name, ', ') END AS tap
    FROM flow f /*scan*/
    JOIN tap p ON p.id = f.tap_id
    LEFT JOIN same_flow t ON t.flow_id = f.id
   GROUP BY ifnull(t.counted_id, f.id))
SELECT f.id, f.transport, f.src, f.dst, f.dst_qp, f.spdcid, o.tap, f.packets,
       f.bytes,
       CAST(8e9 * f.bytes / nullif(f.last_ns - f.first_ns, 0) AS INTEGER)
         AS rate_bps,
       o.lost, o.retransmitted,
       iif(f.transport LIKE 'UET-%', o.trimmed, NULL) AS trimmed, o.timeouts,
       o.recovery_ns, o.ce, o.cnp, f.latency_mean_ns, f.latency_max_ns,
       f.visibility, f.first_ns, f.last_ns - f.first_ns AS duration_ns,
       o.messages, f.capture_missing, o.rnr, o.reordered
  FROM once o /*scan*/
  JOIN flow f ON f.id = o.id
 ORDER BY o.impaired DESC, o.recovery_ns DESC, o.retransmitted DESC,
          f.bytes DESC, f.id
 LIMIT :limit
