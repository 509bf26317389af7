-- What was sent at one end of a flow, and what arrived at the other?
-- The first and the last capture point on its path.  Needs two taps.
--
-- param limit count 1000  maximum number of rows
-- column flow id  flow at the first capture point
-- column to_flow id  the same at the last
-- column src text  sender
-- column dst text  receiver
-- column dst_qp hex  queue pair it is sent to
-- column from_tap text  first capture point
-- column to_tap text  last capture point
-- column places count  capture points on its path
-- column sent count  packets at the first capture point
-- column arrived count  packets at the last
-- column both count  known to be the same at both
-- column lost count  lost anywhere between the two
-- column missed count  missing in a capture between the two only
-- column marked count  CE set between the two
-- column reordered count  reordered between neighbors, summed
-- column retransmitted count  retransmissions seen at the first capture point
-- column delay_p50_ns duration  one-way, median
-- column delay_p99_ns duration  99th percentile
-- column error_ns duration  the clocks may be off by so much
--
-- example fabscope query DB two-ended
WITH ends AS (
  SELECT a.tap_path_id, a.flow_id, b.flow_id AS to_flow_id, a.tap_id,
         b.tap_id AS to_tap_id, b.hop AS places
    FROM tap_path a /*scan*/
    JOIN tap_path b ON b.tap_path_id = a.tap_path_id
   WHERE a.hop = 1
     AND b.hop = (SELECT max(hop) FROM tap_path WHERE tap_path_id = a.tap_path_id)),
steps AS MATERIALIZED (
  SELECT t.tap_path_id, sum(f.lost) AS lost,
         sum(f.missed_to + f.missed_from) AS missed, sum(f.marked) AS marked,
         sum(f.reordered) AS reordered
    FROM tap_path t /*scan*/
    JOIN segment_flow f ON f.flow_id = t.flow_id
   WHERE f.lost IS NOT NULL
   GROUP BY t.tap_path_id)
SELECT e.flow_id AS flow, e.to_flow_id AS to_flow, f.src, f.dst, f.dst_qp,
       x.name AS from_tap, y.name AS to_tap, e.places, f.packets AS sent,
       g.packets AS arrived, w.packets AS "both", s.lost, s.missed, s.marked,
       s.reordered, f.retransmitted AS retransmitted, w.delay_p50_ns,
       w.delay_p99_ns, q.delay_error_ns AS error_ns
  FROM ends e
  JOIN flow f ON f.id = e.flow_id
  JOIN flow g ON g.id = e.to_flow_id
  JOIN tap x ON x.id = e.tap_id
  JOIN tap y ON y.id = e.to_tap_id
  LEFT JOIN steps s ON s.tap_path_id = e.tap_path_id
  LEFT JOIN segment_flow w ON w.flow_id = e.flow_id
                          AND w.to_flow_id = e.to_flow_id
  LEFT JOIN segment q ON q.id = w.segment_id
 ORDER BY e.flow_id
 LIMIT :limit
