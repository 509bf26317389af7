-- Which places saw what the next one did not?
-- Of each incident between two places, the names of the first; rule M1.
SELECT i.id AS incident_id, group_concat(DISTINCT t.name) AS names
  FROM incident i
 CROSS JOIN incident_flow m ON m.incident_id = i.id
 CROSS JOIN recovery a ON a.flow_id = m.flow_id
 CROSS JOIN same_loss s ON s.seen_id = a.id
 CROSS JOIN recovery b ON b.id = s.lost_id
 CROSS JOIN tap t ON t.id = a.tap_id
 WHERE i.kind IN ('loss_between', 'trimmed_between') AND s.counted
   AND (i.tap_id IS NULL OR b.tap_id = i.tap_id)
 GROUP BY i.id
