-- Which capture points saw what the next one did not?
-- Of each incident between two capture points, the names of the first; rule M1.
SELECT incident_id, group_concat(DISTINCT name) AS names FROM (
SELECT i.id AS incident_id, t.name
  FROM incident i
 CROSS JOIN incident_flow m ON m.incident_id = i.id
 CROSS JOIN recovery a ON a.flow_id = m.flow_id
 CROSS JOIN same_loss s ON s.seen_id = a.id
 CROSS JOIN recovery b ON b.id = s.lost_id
 CROSS JOIN tap t ON t.id = a.tap_id
 WHERE i.kind IN ('loss_between', 'trimmed_between') AND s.counted
   AND (i.tap_id IS NULL OR b.tap_id = i.tap_id)
UNION ALL
SELECT i.id, t.name
  FROM incident i
 CROSS JOIN incident_flow m ON m.incident_id = i.id
 CROSS JOIN recovery r ON r.flow_id = m.flow_id
 CROSS JOIN segment_loss s ON s.recovery_id = r.id
 CROSS JOIN segment g ON g.id = s.segment_id
 CROSS JOIN tap t ON t.id = g.from_tap_id
 WHERE i.kind = 'loss_between'
   AND (i.tap_id IS NULL OR g.to_tap_id = i.tap_id))
 GROUP BY incident_id
