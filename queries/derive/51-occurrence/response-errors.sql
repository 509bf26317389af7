-- Which operations of Ultra Ethernet did their target refuse?
--
-- into temp.occurrence
-- needs event
SELECT 'response_error' AS kind, e.flow_id, e.tap_id, e.psn, f.src, f.dst,
       1 AS occurrences, e.ns AS first_ns, e.ns AS last_ns, e.frame,
       e.id AS event_id, e.confidence
  FROM event e
  LEFT JOIN flow f ON f.id = e.flow_id
 WHERE e.kind = 'response_error'
