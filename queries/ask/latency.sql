-- How long do packets take from one capture point to another?
-- One-way delay of the same packets.  The error is that of the clocks and the
-- same for all of a row; the queue columns are above the shortest, where it
-- does not matter.  Needs two taps.
--
-- param flow id NULL  of this flow only, as named at its first capture point
-- param limit count 1000  maximum number of rows
-- column from_tap text  nearer to the sender
-- column to_tap text  nearer to the receiver
-- column whole flag  from the first to the last capture point of these flows
-- column packets count  seen at both
-- column error_ns duration  the clocks may be off by so much
-- column min_ns duration  shortest
-- column p50_ns duration  median
-- column mean_ns duration  on average
-- column p99_ns duration  99th percentile
-- column p999_ns duration  99.9th percentile
-- column max_ns duration  longest
-- column queue_p50_ns duration  above the shortest, median
-- column queue_p99_ns duration  99th percentile
-- column queue_max_ns duration  longest
-- column slowest_frame count  the slowest, at the second capture point
--
-- example fabscope query DB latency
SELECT a.name AS from_tap, b.name AS to_tap, s.whole,
       ifnull(f.packets, s.packets) AS packets, s.delay_error_ns AS error_ns,
       CASE WHEN f.flow_id IS NULL THEN s.delay_min_ns
            ELSE f.delay_min_ns END AS min_ns,
       CASE WHEN f.flow_id IS NULL THEN s.delay_p50_ns
            ELSE f.delay_p50_ns END AS p50_ns,
       CASE WHEN f.flow_id IS NULL THEN s.delay_mean_ns
            ELSE f.delay_mean_ns END AS mean_ns,
       CASE WHEN f.flow_id IS NULL THEN s.delay_p99_ns
            ELSE f.delay_p99_ns END AS p99_ns,
       CASE WHEN f.flow_id IS NULL THEN s.delay_p999_ns
            ELSE f.delay_p999_ns END AS p999_ns,
       CASE WHEN f.flow_id IS NULL THEN s.delay_max_ns
            ELSE f.delay_max_ns END AS max_ns,
       CASE WHEN f.flow_id IS NULL THEN s.queue_p50_ns
            ELSE f.delay_p50_ns - f.delay_min_ns END AS queue_p50_ns,
       CASE WHEN f.flow_id IS NULL THEN s.queue_p99_ns
            ELSE f.delay_p99_ns - f.delay_min_ns END AS queue_p99_ns,
       CASE WHEN f.flow_id IS NULL THEN s.queue_max_ns
            ELSE f.delay_max_ns - f.delay_min_ns END AS queue_max_ns,
       CASE WHEN f.flow_id IS NULL THEN s.slowest_frame END AS slowest_frame
  FROM segment s /*scan*/
  JOIN tap a ON a.id = s.from_tap_id
  JOIN tap b ON b.id = s.to_tap_id
  LEFT JOIN segment_flow f ON f.segment_id = s.id AND f.flow_id = :flow
 WHERE s.packets > 0 AND (:flow IS NULL OR f.flow_id IS NOT NULL)
 ORDER BY s.from_tap_id, s.to_tap_id
 LIMIT :limit
