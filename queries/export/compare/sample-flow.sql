-- What was measured of each flow?
-- One value per flow: how flows of one result differ says how far chance alone goes.
--
-- into compared_sample
WITH f AS MATERIALIZED (
  SELECT f.id, f.transport, f.goodput_bytes, f.first_ns, f.last_ns,
         f.latency_mean_ns, f.latency_max_ns, f.messages_completed,
         f.ce_data, f.ect_data, f.retransmitted, f.expected, f.reordered,
         f.lost_upstream + f.lost_downstream_min AS lost, f.cnp, f.packets,
         f.tap_id
    FROM flow f /*scan*/
   WHERE f.payload_bytes > 0 AND NOT ifnull(f.spray_suspect, 0)
   ORDER BY f.payload_bytes DESC LIMIT 20000)
SELECT 'throughput of a flow' AS metric, NULL AS subject, NULL AS flow_id,
       'Gb/s' AS unit, 'high' AS better,
       8.0 * goodput_bytes / (last_ns - first_ns) AS value
  FROM f WHERE last_ns > first_ns
UNION ALL
SELECT 'message completion', NULL, NULL, 'us', 'low', latency_mean_ns / 1e3
  FROM f WHERE latency_mean_ns IS NOT NULL
UNION ALL
SELECT 'slowest message of a flow', NULL, NULL, 'us', 'low',
       latency_max_ns / 1e3
  FROM f WHERE latency_max_ns IS NOT NULL
UNION ALL
SELECT 'CE share of a flow', NULL, NULL, '%', 'low',
       100.0 * ce_data / (ce_data + ect_data)
  FROM f WHERE ce_data + ect_data > 0
UNION ALL
SELECT 'retransmitted share of a flow', NULL, NULL, '%', 'low',
       100.0 * retransmitted / expected
  FROM f WHERE expected > 0
UNION ALL
SELECT 'lost share of a flow', NULL, NULL, '%', 'low', 100.0 * lost / expected
  FROM f
 WHERE expected > 0
   AND NOT (SELECT max(ifnull(low_confidence, 0)) FROM coverage)
UNION ALL
SELECT 'out-of-order share of a flow', NULL, NULL, '%', NULL,
       100.0 * reordered / expected
  FROM f WHERE expected > 0
