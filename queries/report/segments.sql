-- What happened to packets between two places of capture?
--
-- param limit count 1000  at most so many
-- column from_tap text  tap nearer to the senders
-- column to_tap text  the other
-- column flows count  flows that went this way
-- column packets count  packets seen at both
-- column delay_min_ns duration  shortest; NULL: clocks not tied together
-- column delay_p50_ns duration  median
-- column delay_p99_ns duration  99th percentile
-- column delay_max_ns duration  longest
-- column delay_error_ns duration  the clocks may be off by so much
-- column queue_p99_ns duration  above the shortest, 99th percentile
-- column lost count  lost between the two; NULL other places lie between
-- column missed count  passed, but missing in one of the captures
-- column open count  not seen at the second, and nothing tells why
-- column marked count  marked (CE) between the two
-- column reordered count  overtaken between the two
--
-- example fabscope query DB report/segments
SELECT a.name AS from_tap, b.name AS to_tap, s.flows, s.packets,
       s.delay_min_ns, s.delay_p50_ns, s.delay_p99_ns, s.delay_max_ns,
       s.delay_error_ns, s.queue_p99_ns, s.lost,
       s.missed_to + s.missed_from AS missed, s.open, s.marked, s.reordered
  FROM segment s /*scan*/
  JOIN tap a ON a.id = s.from_tap_id
  JOIN tap b ON b.id = s.to_tap_id
 ORDER BY s.id
 LIMIT :limit
