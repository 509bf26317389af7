-- Did targets answer operations with an error?
-- Rule U20 (Ultra Ethernet): the response carries another return code than OK.
-- The packets arrived; it is the operation that failed.
-- needs incident
SELECT 'critical' AS severity, confidence,
       plural(occurrences, 'operation') || ' failed at the target'
         || (SELECT CASE count(DISTINCT e.value)
                    WHEN 1 THEN ' (return code ' || max(e.value)
                           || ifnull(' ' || uet_says(e.kind, max(e.value)),
                                     '') || ')'
                    ELSE '' END
               FROM incident_flow m
               JOIN event e ON e.flow_id = m.flow_id
                           AND e.kind = 'response_error'
              WHERE m.incident_id = i.id)
         || ': ' || who AS title,
       'The responses say so: the requests arrived and were refused by the '
         || 'semantic layer. The network only carried them.' AS detail,
       'Look at the applications: memory keys, addresses, access rights, job '
         || 'ids, and a peer that ended.' AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB errors --param incident=' || id) AS evidence
  FROM incident i
 WHERE kind = 'response_error'
