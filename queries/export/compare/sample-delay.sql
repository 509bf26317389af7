-- How long did packets take from one capture point to another?
-- One value per flow.
--
-- into compared_sample
SELECT 'one-way delay, median of a flow' AS metric,
       a.name || ' to ' || b.name AS subject, NULL AS flow_id, 'us' AS unit,
       'low' AS better, sf.delay_p50_ns / 1e3 AS value
  FROM segment_flow sf /*scan*/
  JOIN segment s ON s.id = sf.segment_id
  JOIN tap a ON a.id = s.from_tap_id
  JOIN tap b ON b.id = s.to_tap_id
 WHERE sf.delay_p50_ns IS NOT NULL
UNION ALL
SELECT 'queueing, P99 of a flow', a.name || ' to ' || b.name, NULL, 'us', 'low',
       (sf.delay_p99_ns - sf.delay_min_ns) / 1e3
  FROM segment_flow sf /*scan*/
  JOIN segment s ON s.id = sf.segment_id
  JOIN tap a ON a.id = s.from_tap_id
  JOIN tap b ON b.id = s.to_tap_id
 WHERE sf.delay_p99_ns IS NOT NULL
 LIMIT 20000
