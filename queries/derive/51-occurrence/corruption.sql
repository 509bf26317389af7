-- On which flows did packets reach the capture point corrupted?
-- Where most of the checked packets of a tap are "bad" something rewrites them
-- for the capture: that is no damage on the wire.  RoCE and Ultra Ethernet have
-- each their own checksum: one that is right proves nothing of the other.  Where switches trim Ultra
-- Ethernet, a packet whose length does not tell that it was cut looks corrupted
-- until its NACK says so: only what was retransmitted without one is.  Rows without
-- recoveries only name further frames.
--
-- into temp.occurrence
WITH uet AS (
  SELECT tap_id, sum(trimmed) > 0 AS cut, sum(crc_bad) < sum(crc_good) AS sound
    FROM flow_sum /*scan*/
   WHERE transport LIKE 'UET-%' GROUP BY tap_id),
bad AS (
  SELECT f.id, f.tap_id, f.src, f.dst, f.first_ns, f.corrupted,
         CASE WHEN f.transport NOT LIKE 'UET-%' OR NOT ifnull(u.cut, 0)
              THEN max(ifnull(f.icrc_bad, 0), ifnull(f.corrupted, 0))
              WHEN f.visibility = 'both' AND NOT c.low_confidence
              THEN ifnull(f.corrupted, 0) ELSE 0 END AS occurrences
    FROM flow f
    JOIN coverage c ON c.tap_id = f.tap_id
    JOIN tap t ON t.id = f.tap_id
    LEFT JOIN uet u ON u.tap_id = f.tap_id
   WHERE f.impaired = 1
     AND (f.icrc_bad > 0 OR f.corrupted > 0)
     AND CASE WHEN f.transport LIKE 'UET-%' THEN u.sound
              ELSE ifnull(t.icrc_bad < t.icrc_good, 1) END)
SELECT 'corruption' AS kind, b.id AS flow_id, b.tap_id, b.src, b.dst,
       b.occurrences, b.corrupted AS lost_min, b.corrupted AS lost_max,
       sum(r.retransmitted_packets) AS retransmitted_packets,
       sum(r.retransmitted_bytes) AS retransmitted_bytes,
       max(r.idle_ns) AS idle_ns,
       sum(max(r.last_ns - r.first_ns, 0)) AS cost_ns,
       ifnull(e.ns, b.first_ns) AS first_ns,
       max(ifnull(max(r.last_ns), 0), ifnull(e.ns, b.first_ns)) AS last_ns,
       e.frame, e.id AS event_id, ifnull(e.confidence, 0.95) AS confidence
  FROM bad b
  LEFT JOIN event e ON e.id =
       (SELECT id FROM event WHERE flow_id = b.id AND kind = 'icrc_bad'
         ORDER BY ns LIMIT 1)
  LEFT JOIN recovery r ON r.flow_id = b.id AND r.cause = 'corruption'
 WHERE b.occurrences > 0
 GROUP BY b.id
UNION ALL
SELECT 'corruption', b.id, b.tap_id, b.src, b.dst, 0, NULL, NULL, NULL, NULL,
       NULL, NULL, e.ns, e.ns, e.frame, e.id, NULL
  FROM bad b
  JOIN event e ON e.id IN
       (SELECT id FROM event WHERE flow_id = b.id AND kind = 'icrc_bad'
         ORDER BY ns LIMIT 4 OFFSET 1)
 WHERE b.occurrences > 0
