-- What did each link carry, part by part of the time?
-- The time of a tap is cut in at most 20 parts of equal length: short ones would
-- not be independent of each other.
--
-- into compared_sample
WITH t AS MATERIALIZED (
  SELECT t.id, t.name, min(b.start_ns) AS first_ns,
         max(b.start_ns + b.width_ns) AS last_ns, max(b.width_ns) AS width,
         t.both_ways
    FROM tap t JOIN bin b ON b.scope = 'tap' AND b.scope_id = t.id
   GROUP BY t.id
   ORDER BY t.id LIMIT 1000),
w AS (
  SELECT *, max((last_ns - first_ns) / 20, width) AS part
    FROM t WHERE last_ns - first_ns >= 2 * width),
x AS MATERIALIZED (
  SELECT w.id, w.name, w.part, (b.start_ns - w.first_ns) / w.part AS nth,
         sum(b.bytes) AS bytes, sum(b.packets) AS packets, sum(b.ce) AS ce,
         sum(b.cnp) AS cnp
    FROM w JOIN bin b ON b.scope = 'tap' AND b.scope_id = w.id
   GROUP BY w.id, nth),
-- links of a group, over the time of all of them
g AS MATERIALIZED (
  SELECT m.group_id, g.name, b.members, min(w.first_ns) AS first_ns,
         max((max(w.last_ns) - min(w.first_ns)) / 20, max(w.width)) AS part
    FROM link_member m
    JOIN link_group g ON g.id = m.group_id
    JOIN balance b ON b.group_id = m.group_id AND b.whole
    JOIN w ON w.id = m.tap_id
   GROUP BY m.group_id),
y AS (
  SELECT g.name, g.members, (b.start_ns - g.first_ns) / g.part AS nth,
         m.tap_id, sum(b.bytes) AS bytes, sum(b.packets) AS packets
    FROM g
    JOIN link_member m ON m.group_id = g.group_id
    JOIN bin b ON b.scope = 'tap' AND b.scope_id = m.tap_id
   GROUP BY g.group_id, nth, m.tap_id)
SELECT 'load of a link' AS metric, name AS subject, NULL AS flow_id, nth,
       'Gb/s' AS unit, NULL AS better, 8.0 * bytes / part AS value
  FROM x
UNION ALL
SELECT 'CE share on a link', name, NULL, nth, '%', 'low', 100.0 * ce / packets
  FROM x WHERE packets > 0
UNION ALL
SELECT 'CNPs on a link', name, NULL, nth, '1/s', 'low', 1e9 * cnp / part
  FROM x
UNION ALL
SELECT 'balance of links (JFI)', name, NULL, nth, '0..1', 'high',
       1.0 * sum(bytes) * sum(bytes)
         / (members * sum(1.0 * bytes * bytes))
  FROM y GROUP BY name, nth HAVING sum(packets) >= 8 * members
