-- How deep were queues, by what switches say in packets?
--
-- INT reports the occupancy of the queue, in the unit of the switch: bytes, unless
-- the topology file says what.  Else what IFA and INT report beyond the least time
-- in a switch is the wait in the queue of the port out; at the rate of the port it
-- is so many bytes.  Where PFC paused the port it is more than there were.
--
-- into queue_depth
-- needs telemetry_bin
WITH one AS (
  SELECT CASE WHEN min(bps) = max(bps) THEN min(bps) END AS bps
    FROM (SELECT speed_bps AS bps FROM link WHERE speed_bps > 0
          UNION ALL SELECT speed_bps FROM tap WHERE speed_bps > 0)),
rate AS (
  SELECT n.device_id, p.port, max(l.speed_bps) AS bps
    FROM node n
    JOIN node_port p ON p.node = n.name
    JOIN (SELECT a AS node, a_port AS port, speed_bps FROM link
          UNION ALL SELECT b, b_port, speed_bps FROM link) l
      ON l.node = n.name AND l.port = p.name
   WHERE l.speed_bps > 0
   GROUP BY n.device_id, p.port),
-- a switch that several taps tell of: the one that tells most
best AS (
  SELECT *, row_number() OVER (PARTITION BY device_id, egress_port, queue
                               ORDER BY packets DESC, tap_id) AS nth
    FROM hop /*scan*/ WHERE flow_id IS NULL AND (residence_min_ns IS NOT NULL
                                             OR depth_id IS NOT NULL)),
full AS (
  SELECT b.tap_id, b.device_id, b.egress_port, b.queue,
         ifnull(r.bps, one.bps) AS rate_bps,
         ifnull((SELECT max(n.queue_unit) FROM node n
                  WHERE n.device_id = b.device_id), 1) AS unit,
         t.value, t.value_max AS most, t.packets, t.ce
    FROM best b
    CROSS JOIN one
    JOIN telemetry_bin t ON t.telemetry_id = b.depth_id
    LEFT JOIN rate r ON r.device_id = b.device_id AND r.port = b.egress_port
   WHERE b.nth = 1 AND t.value IS NOT NULL),
wait AS (
  SELECT b.tap_id, b.device_id, b.egress_port, b.queue,
         ifnull(r.bps, one.bps) AS rate_bps,
         max(0, t.value - b.residence_min_ns) AS ns,
         max(0, t.value_max - b.residence_min_ns) AS most, t.packets, t.ce
    FROM best b
    CROSS JOIN one
    JOIN telemetry_bin t ON t.telemetry_id = b.telemetry_id
    LEFT JOIN rate r ON r.device_id = b.device_id AND r.port = b.egress_port
   WHERE b.nth = 1 AND t.value IS NOT NULL AND b.depth_id IS NULL
     AND b.residence_min_ns IS NOT NULL)
SELECT min(tap_id) AS tap_id, device_id, egress_port, queue, rate_bps,
       CAST(ns * (rate_bps / 8e9) AS INTEGER) AS bytes,
       CAST(max(most) * (rate_bps / 8e9) AS INTEGER) AS bytes_max,
       sum(packets) AS packets, sum(ce) AS ce, 'residence' AS source
  FROM wait WHERE rate_bps > 0
 GROUP BY device_id, egress_port, queue, ns
UNION ALL
SELECT min(tap_id), device_id, egress_port, queue, rate_bps, value * unit,
       max(most) * unit, sum(packets), sum(ce), 'occupancy'
  FROM full
 GROUP BY device_id, egress_port, queue, value
