-- Which flows have gaps that nothing explains?
-- UC repairs nothing, so that a hole there is a message that never arrived, or
-- a gap of the capture.  Rows without recoveries only name further frames.
--
-- into temp.occurrence
SELECT CASE f.transport WHEN 'UC' THEN 'uc_gap' ELSE 'unresolved' END
         AS kind,
       f.id AS flow_id, f.tap_id, f.src, f.dst, f.unresolved AS occurrences,
       f.unresolved AS lost_max,
       ifnull(e.ns, f.first_ns) AS first_ns, f.last_ns,
       e.frame, e.id AS event_id, e.confidence
  FROM flow f
  LEFT JOIN event e ON e.id =
       (SELECT id FROM event
         WHERE flow_id = f.id AND kind = 'unresolved_gap'
         ORDER BY ns LIMIT 1)
 WHERE f.impaired = 1 AND f.unresolved > 0 AND NOT f.spray_suspect
UNION ALL
SELECT CASE f.transport WHEN 'UC' THEN 'uc_gap' ELSE 'unresolved' END,
       f.id, f.tap_id, f.src, f.dst, 0, NULL, e.ns, e.ns, e.frame, e.id, NULL
  FROM flow f
  JOIN event e ON e.id IN
       (SELECT id FROM event
         WHERE flow_id = f.id AND kind = 'unresolved_gap'
         ORDER BY ns LIMIT 4 OFFSET 1)
 WHERE f.impaired = 1 AND f.unresolved > 0 AND NOT f.spray_suspect
