-- Where do packets spend their time, switch by switch?
-- From telemetry in the packets (IFA, INT).  In a time window: what its steps
-- say, those at the edges by their part; not which packet it was, nor what became
-- of them.
--
-- param flow id NULL  of this flow only; else of all flows together
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- param limit count 1000  maximum number of rows
-- column tap text  where it was read
-- column switch text  name, or its number
-- column position count  position on the path: 1 is the first switch that reported
-- column ingress text  port in; only of a flow
-- column egress text  port out
-- column queue count  queue of the port out
-- column packets count  packets with telemetry
-- column min_ns duration  shortest time inside
-- column p50_ns duration  median
-- column p99_ns duration  99th percentile
-- column max_ns duration  longest
-- column slowest share  of the packets that no other hop kept longer
-- column congested share  packets with the congestion bit set by this hop
-- column ce share  of the packets that were marked ECN CE when they reached the capture point
-- column longest_ns time  when the longest was reported
-- column longest_frame count  in which frame
-- column marked_mean_ns duration  mean time inside of those marked
-- column lost count  of the packets, lost between the tap and their receiver
-- column lost_mean_ns duration  mean time inside of those
-- column acked count  of the packets, those whose requested ACK was seen
-- column ack_mean_ns duration  from the capture point to their answers, mean
-- column ack_correlation real  do answers take longer for packets that were longer inside? correlation, -1 to 1
--
-- uses telemetry-in-window
-- example fabscope query DB hops --param flow=1
WITH hops AS (
  SELECT h.tap_id, h.device_id, h.position, h.ingress_port, h.egress_port,
         h.queue, h.packets, h.residence_min_ns AS min_ns,
         h.residence_p50_ns AS p50_ns, h.residence_p99_ns AS p99_ns,
         h.residence_max_ns AS max_ns, h.slowest, h.congested, h.ce,
         h.longest_ns, h.longest_frame, h.marked_mean_ns, h.lost,
         h.lost_mean_ns, h.acked, h.ack_mean_ns, h.ack_correlation_pm
    FROM hop h /*scan*/
   WHERE h.flow_id IS :flow AND coalesce(:from, :to) IS NULL
  UNION ALL
  SELECT h.tap_id, h.device_id, h.position, h.ingress_port, h.egress_port,
         h.queue, v.packets, v.least, v.p50, v.p99, v.most, v.slowest,
         v.congested, v.ce, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM hop h /*scan*/
    JOIN telemetry_in_window v ON v.telemetry_id = h.telemetry_id
   WHERE h.flow_id IS :flow AND coalesce(:from, :to) IS NOT NULL)
SELECT t.name AS tap, ifnull(n.name, h.device_id) AS switch, h.position,
       ifnull(i.name, h.ingress_port) AS ingress,
       ifnull(e.name, h.egress_port) AS egress, h.queue, h.packets,
       h.min_ns, h.p50_ns, h.p99_ns, h.max_ns,
       1.0 * h.slowest / h.packets AS slowest,
       1.0 * h.congested / h.packets AS congested,
       1.0 * h.ce / h.packets AS ce, h.longest_ns, h.longest_frame,
       h.marked_mean_ns, h.lost, h.lost_mean_ns, h.acked, h.ack_mean_ns,
       h.ack_correlation_pm / 1000.0 AS ack_correlation
  FROM hops h
  JOIN tap t ON t.id = h.tap_id
  LEFT JOIN node n ON n.kind = 'switch' AND n.device_id = h.device_id
  LEFT JOIN node_port i ON i.node = n.name AND i.port = h.ingress_port
  LEFT JOIN node_port e ON e.node = n.name AND e.port = h.egress_port
 ORDER BY h.tap_id, h.position, h.p99_ns DESC, h.device_id, h.egress_port
 LIMIT :limit
