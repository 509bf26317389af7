-- Where do PSNs jump too far for a loss?
-- The capture has a hole there, or the queue pair number was used again without
-- a sign of it.
--
-- into temp.occurrence
-- needs event
SELECT 'psn_jump' AS kind, e.flow_id, e.tap_id, e.psn, f.src, f.dst, 1 AS occurrences,
       e.ns AS first_ns, e.ns AS last_ns, e.frame, e.id AS event_id,
       e.confidence
  FROM event e
  LEFT JOIN flow f ON f.id = e.flow_id
 WHERE e.kind = 'outage'
