-- How long is the way between the capture points of two hosts?
--
-- column src text  node.name of the sender
-- column dst text  node.name of the receiver
-- column delay_ns duration  shortest time between the two capture points
WITH at AS (
  SELECT t.id, n.name
    FROM tap t
    JOIN node n ON n.name IN (t.from_node, t.to_node) AND n.kind = 'host')
SELECT a.name AS src, b.name AS dst, min(s.delay_min_ns) AS delay_ns
  FROM segment s /*scan*/
  JOIN at a ON a.id = s.from_tap_id
  JOIN at b ON b.id = s.to_tap_id
 WHERE s.delay_min_ns > 0 AND a.name <> b.name
 GROUP BY a.name, b.name
 ORDER BY a.name, b.name
