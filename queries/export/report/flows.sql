-- Which flows are there, the most impaired first, then by size?
--
-- param limit count 500  maximum number of rows
-- column id id  flow.id
-- column transport text  RC, UC, UD, ..., UET-RUD, ...
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column spdcid hex16  UET: PDC id of the sender
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
-- column reordered count  packets reordered upstream of the tap
--
-- example fabscope query DB report/flows --param limit=20
SELECT id, transport, src, dst, dst_qp, spdcid, packets, bytes,
       CAST(8e9 * bytes / nullif(last_ns - first_ns, 0) AS INTEGER)
         AS rate_bps,
       lost_upstream + lost_downstream_min AS lost, retransmitted,
       iif(transport LIKE 'UET-%', trimmed, NULL) AS trimmed, timeouts,
       recovery_ns, ce, cnp, latency_mean_ns, latency_max_ns, visibility,
       first_ns, last_ns - first_ns AS duration_ns, messages, capture_missing,
       rnr_nak AS rnr, reordered
  FROM flow /*scan*/
 ORDER BY impaired DESC, recovery_ns DESC, retransmitted DESC, bytes DESC, id
 LIMIT :limit
