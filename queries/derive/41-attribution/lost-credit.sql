-- When did a sender wait for credit that was lost, or its request for it?
-- What asks for credit and what grants it have no PSN: two capture points know
-- that they were lost between them (M1).  Until credit comes all the same.
--
-- into temp.attribution
-- needs unmatched
WITH lost AS MATERIALIZED (
  SELECT f.id, f.peer_flow_id, v.ns
    FROM (SELECT flow_id, ns FROM unmatched /*scan*/
           WHERE kind = 'ack' AND verdict = 'lost'
          UNION ALL
          SELECT to_flow_id, ns FROM unmatched /*scan*/
           WHERE kind = 'ack' AND verdict = 'lost') v
   CROSS JOIN flow f ON f.id = v.flow_id),
waits AS (
  SELECT id AS flow_id, ns, NULL AS granted_ns FROM lost
  UNION ALL
  SELECT peer_flow_id, ns, NULL FROM lost
  UNION ALL
  SELECT flow_id, wanted_ns, granted_ns FROM burst /*scan*/
   WHERE granted_ns IS NOT NULL AND EXISTS (SELECT 1 FROM lost))
SELECT flow_id, lost_ns AS first_ns, granted_ns AS last_ns,
       'recovery' AS class, 'acks' AS part
  FROM (SELECT flow_id, granted_ns,
               min(iif(granted_ns IS NULL, ns, NULL)) OVER (
                 PARTITION BY flow_id
                 ORDER BY ns DESC, granted_ns IS NOT NULL
                 ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS lost_ns
          FROM waits)
 WHERE granted_ns IS NOT NULL AND lost_ns < granted_ns
