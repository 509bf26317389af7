-- Which flows were reordered upstream of the capture point without any harm?
-- Those whose receiver asked for packets again are in `incident/recoveries`.  Rows
-- without recoveries only name further frames.
--
-- into temp.occurrence
SELECT 'reorder_tolerated' AS kind, f.id AS flow_id, f.tap_id, f.src, f.dst,
       f.reordered AS occurrences,
       ifnull(e.ns, f.first_ns) AS first_ns, f.last_ns,
       e.frame, e.id AS event_id, ifnull(e.confidence, 0.9) AS confidence
  FROM flow f
  LEFT JOIN event e ON e.id =
       (SELECT id FROM event WHERE flow_id = f.id AND kind = 'reorder'
         ORDER BY ns LIMIT 1)
 WHERE f.impaired = 1
   AND f.reordered > 0
   AND f.transport NOT IN ('UET-RUD', 'UET-RUDI')
   AND NOT EXISTS (SELECT 1 FROM recovery
                    WHERE flow_id = f.id AND cause = 'reorder')
UNION ALL
SELECT 'reorder_tolerated', f.id, f.tap_id, f.src, f.dst, 0, e.ns, e.ns,
       e.frame, e.id, NULL
  FROM flow f
  JOIN event e ON e.id IN
       (SELECT id FROM event WHERE flow_id = f.id AND kind = 'reorder'
         ORDER BY ns LIMIT 4 OFFSET 1)
 WHERE f.impaired = 1
   AND f.reordered > 0
   AND f.transport NOT IN ('UET-RUD', 'UET-RUDI')
   AND NOT EXISTS (SELECT 1 FROM recovery
                    WHERE flow_id = f.id AND cause = 'reorder')
