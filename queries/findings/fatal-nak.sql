-- Did receivers end queue pairs with an error?
-- Rule R21: NAK 0x61 invalid request, 0x62 remote access, 0x63 remote
-- operation.
SELECT 'critical' AS severity, confidence,
       plural(flows, 'queue pair') || ' ended by the receiver with '
         || (SELECT CASE count(DISTINCT e.value)
                    WHEN 1 THEN CASE max(e.value)
                      WHEN 0x61 THEN 'an invalid request error'
                      WHEN 0x62 THEN 'a remote access error'
                      WHEN 0x63 THEN 'a remote operational error'
                      ELSE 'a fatal error' END
                    ELSE 'a fatal error' END
               FROM incident_flow m
               JOIN event e ON e.flow_id = m.flow_id
                           AND e.kind = 'nak_fatal'
              WHERE m.incident_id = i.id)
         || ': ' || who AS title,
       'The receiver refused an operation for good (NAK). The queue pair is '
         || 'dead afterwards, and silence on it is not loss. The network only '
         || 'carried the message.' AS detail,
       'Look at the applications: keys and addresses of remote memory, access '
         || 'rights, lengths, a peer that crashed or was restarted.' AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB naks --param kind=nak_fatal'
                || ' --param incident=' || id) AS evidence
  FROM incident i
 WHERE kind = 'nak_fatal'
