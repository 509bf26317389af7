-- On which flows did packets reach the tap damaged?
-- Where most of the checked packets of a tap are "bad" something rewrites them
-- for the capture: that is no damage on the wire.  Rows without episodes only
-- name further frames.
SELECT 'corruption' AS kind, f.id AS flow_id, f.tap_id, f.src, f.dst,
       max(ifnull(f.icrc_bad, 0), ifnull(f.corrupted, 0)) AS episodes,
       f.corrupted AS lost_min, f.corrupted AS lost_max,
       sum(r.resent_packets) AS resent_packets,
       sum(r.resent_bytes) AS resent_bytes,
       max(r.silence_ns) AS silence_ns,
       sum(max(r.last_ns - r.first_ns, 0)) AS cost_ns,
       ifnull(e.ns, f.first_ns) AS first_ns,
       max(ifnull(max(r.last_ns), 0), ifnull(e.ns, f.first_ns)) AS last_ns,
       e.frame, e.id AS event_id, ifnull(e.confidence, 0.95) AS confidence
  FROM flow f
  JOIN tap t ON t.id = f.tap_id
  LEFT JOIN event e ON e.id =
       (SELECT id FROM event WHERE flow_id = f.id AND kind = 'icrc_bad'
         ORDER BY ns LIMIT 1)
  LEFT JOIN recovery r ON r.flow_id = f.id AND r.cause = 'corruption'
 WHERE f.troubled = 1
   AND (f.icrc_bad > 0 OR f.corrupted > 0)
   AND ifnull(t.icrc_bad < t.icrc_good, 1)
 GROUP BY f.id
UNION ALL
SELECT 'corruption', f.id, f.tap_id, f.src, f.dst, 0, NULL, NULL, NULL, NULL,
       NULL, NULL, e.ns, e.ns, e.frame, e.id, NULL
  FROM flow f
  JOIN tap t ON t.id = f.tap_id
  JOIN event e ON e.id IN
       (SELECT id FROM event WHERE flow_id = f.id AND kind = 'icrc_bad'
         ORDER BY ns LIMIT 4 OFFSET 1)
 WHERE f.troubled = 1
   AND ifnull(t.icrc_bad < t.icrc_good, 1)
