-- Which paths did flows take, and which switch delayed them?
-- From telemetry in the packets (IFA, INT).  The bottleneck is the hop where
-- they waited longest beyond its own shortest time.  In a time window: what its
-- steps say; not what became of these very packets.
--
-- param flow id NULL  of this flow only
-- param from time NULL  start of the time window; NULL: start of the capture
-- param to time NULL  end of the time window; NULL: end of the capture
-- param limit count 1000  maximum number of rows
-- column flow_id id  flow.id
-- column src text  sender
-- column dst text  receiver
-- column tap text  where it was read
-- column devices text  device ids of the switches, first hop first
-- column packets count  packets that took this path
-- column min_ns duration  shortest time inside all switches together
-- column p50_ns duration  median
-- column p99_ns duration  99th percentile
-- column max_ns duration  longest
-- column ce share  of the packets, marked ECN CE when they reached the capture point
-- column bottleneck text  switch
-- column egress text  its port out
-- column waited_ns duration  mean time there beyond its shortest
-- column slowest share  of the flow's packets that no other hop kept longer
-- column lost_of_these count  of these very packets, lost downstream of the capture point
-- column ack_mean_ns duration  from the capture point to the answers of these very packets, mean
-- column ack_max_ns duration  the longest
-- column lost count  packets of the flow lost, at least
-- column retransmitted count  packets of the flow retransmitted
-- column latency_mean_ns duration  of its messages, measured at the capture point
--
-- uses telemetry-in-window
-- uses flow-in-window
-- example fabscope query DB paths
WITH hop_reports AS (
  SELECT h.tap_id, h.flow_id, h.device_id, h.egress_port, h.position, h.packets,
         h.slowest, h.residence_mean_ns - h.residence_min_ns AS waited
    FROM hop h /*scan*/
   WHERE h.flow_id IS NOT NULL AND coalesce(:from, :to) IS NULL
  UNION ALL
  SELECT h.tap_id, h.flow_id, h.device_id, h.egress_port, h.position, v.packets,
         v.slowest, CAST(v.mean - h.residence_min_ns AS INTEGER)
    FROM hop h /*scan*/
    JOIN telemetry_in_window v ON v.telemetry_id = h.telemetry_id
   WHERE h.flow_id IS NOT NULL AND coalesce(:from, :to) IS NOT NULL),
waits AS (
  SELECT *, row_number() OVER (PARTITION BY tap_id, flow_id
                                   ORDER BY waited DESC, position) AS rank
    FROM hop_reports
   WHERE waited IS NOT NULL),
ways AS (
  SELECT p.tap_id, p.flow_id, p.devices, p.packets,
         p.residence_min_ns AS min_ns, p.residence_p50_ns AS p50_ns,
         p.residence_p99_ns AS p99_ns, p.residence_max_ns AS max_ns, p.ce,
         p.lost, p.ack_mean_ns, p.ack_max_ns
    FROM path p /*scan*/
   WHERE coalesce(:from, :to) IS NULL
  UNION ALL
  SELECT p.tap_id, p.flow_id, p.devices, v.packets, v.least, v.p50, v.p99,
         v.most, v.ce, NULL, NULL, NULL
    FROM path p /*scan*/
    JOIN telemetry_in_window v ON v.telemetry_id = p.telemetry_id
   WHERE coalesce(:from, :to) IS NOT NULL)
SELECT p.flow_id, f.src, f.dst, t.name AS tap, p.devices, p.packets,
       p.min_ns, p.p50_ns, p.p99_ns, p.max_ns, 1.0 * p.ce / p.packets AS ce,
       ifnull(n.name, w.device_id) AS bottleneck,
       ifnull(e.name, w.egress_port) AS egress, w.waited AS waited_ns,
       1.0 * w.slowest / w.packets AS slowest,
       p.lost AS lost_of_these, p.ack_mean_ns, p.ack_max_ns,
       f.lost_upstream + f.lost_downstream_min AS lost, f.retransmitted,
       f.latency_mean_ns
  FROM flow_in_window f
 CROSS JOIN ways p ON p.flow_id = f.id
  JOIN tap t ON t.id = p.tap_id
  LEFT JOIN waits w ON w.tap_id = p.tap_id AND w.flow_id = p.flow_id
                   AND w.rank = 1
  LEFT JOIN node n ON n.kind = 'switch' AND n.device_id = w.device_id
  LEFT JOIN node_port e ON e.node = n.name AND e.port = w.egress_port
 WHERE (:flow IS NULL OR p.flow_id = :flow)
 ORDER BY p.p99_ns DESC, p.flow_id, p.devices
 LIMIT :limit
