-- Which senders had to wait until the receiver offered room?
--
-- into temp.occurrence
-- needs event
SELECT 'credit_stall' AS kind, e.flow_id, e.tap_id, e.psn, f.src, f.dst,
       1 AS occurrences, e.value AS idle_ns, e.value AS cost_ns,
       e.ns AS first_ns, e.ns + ifnull(e.value, 0) AS last_ns,
       e.frame, e.id AS event_id, e.confidence
  FROM event e
  LEFT JOIN flow f ON f.id = e.flow_id
 WHERE e.kind = 'credit_stall'
