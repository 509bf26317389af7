-- Which two flows are the two directions of one connection?
--
-- param pairing text NULL  only those found by cm, sport, read, ack, assumed
-- param limit count 1000  maximum number of rows
-- column flow_id id  flow.id
-- column peer_flow_id id  flow.id of the other direction
-- column transport text  RC, XRC, ...
-- column src text  one host
-- column src_qp hex  its queue pair
-- column dst text  the other host
-- column dst_qp hex  its queue pair
-- column pairing word  how it was found
-- column confidence share  confidence, 0..1
-- column packets count  packets of this direction
-- column peer_packets count  packets of the other
-- column latency_min_ns duration  fastest message
-- column latency_mean_ns duration  on average
-- column latency_max_ns duration  slowest message
-- column rtt_sender_ns duration  minimum RTT tap to sender and back
-- column rtt_receiver_ns duration  minimum RTT tap to receiver and back
--
-- example fabscope query DB pairs --param pairing=cm
SELECT a.id AS flow_id, b.id AS peer_flow_id, a.transport, a.src,
       ifnull(a.src_qp, b.dst_qp) AS src_qp, a.dst, a.dst_qp, a.pairing,
       a.pairing_confidence AS confidence, a.packets,
       b.packets AS peer_packets, a.latency_min_ns, a.latency_mean_ns,
       a.latency_max_ns, a.rtt_sender_ns, a.rtt_receiver_ns
  FROM flow /*scan*/ a
  JOIN flow b ON b.id = a.peer_flow_id
 WHERE a.id < b.id
   AND (:pairing IS NULL OR a.pairing = :pairing)
 ORDER BY a.id
 LIMIT :limit
