-- What did each flow do, by all capture points together?
-- For whoever adds flows up: a flow that several places saw is one row, and each
-- figure that of the place where it shows most.  What happened to a flow is counted
-- at every tap, as far as it can see: each figure is one of "at least".
--
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- column id id  flow.id at the capture point with most packets
-- column places count  capture points that saw it
-- column transport text  RC UC UD XRC UET-ROD UET-RUD UET-RUDI
-- column src text  sender's address
-- column dst text  receiver's address
-- column both flag  1: seen in both directions
-- column first_ns time  time of the first packet
-- column last_ns time  time of the last packet
-- column packets count  packets, retransmissions included
-- column bytes bytes  bytes on the wire, retransmissions included
-- column expected count  PSNs covered
-- column capture_missing count  capture gap: delivered but not captured, all capture points
-- column lost count  lost, at least
-- column retransmitted count  packets retransmitted
-- column reordered count  packets reordered upstream of the capture point
-- column timeouts count  retransmission timeouts (RTO)
-- column rnr_nak count  RNR NAKs
-- column recovery_ns duration  time lost in recoveries, summed
--
-- uses flow-in-window
-- uses flow-once
-- example fabscope query DB flow-everywhere
SELECT id, 1 AS places, transport, src, dst, visibility = 'both' AS both,
       first_ns, last_ns, packets, bytes, expected, capture_missing,
       lost_upstream + lost_downstream_min AS lost, retransmitted, reordered,
       timeouts, rnr_nak, recovery_ns
  FROM flow_in_window
 WHERE (SELECT count(*) FROM same_flow) = 0
UNION ALL
SELECT o.counted_id, count(*), max(f.transport), max(f.src), max(f.dst),
       max(f.visibility = 'both'), min(f.first_ns), max(f.last_ns),
       max(f.packets), max(f.bytes), max(f.expected), sum(f.capture_missing),
       max(f.lost_upstream + f.lost_downstream_min), max(f.retransmitted),
       max(f.reordered), max(f.timeouts), max(f.rnr_nak), max(f.recovery_ns)
  FROM flow_in_window f
  JOIN flow_once o ON o.flow_id = f.id
 WHERE (SELECT count(*) FROM same_flow) > 0
 GROUP BY o.counted_id
