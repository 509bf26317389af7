-- Are there gaps that nothing explains?
-- Rule R9: no answer of the receiver is there to tell a loss from a packet that
-- only the capture misses.  They count in no loss figure.
-- needs incident
SELECT 'info' AS severity, 0.3 AS confidence,
       plural(occurrences, 'packet')
         || ' missing (lost, or not captured): ' || who AS title,
       CASE WHEN EXISTS (SELECT 1 FROM incident_flow m
                           JOIN flow f ON f.id = m.flow_id
                          WHERE m.incident_id = i.id
                            AND f.visibility <> 'both')
            THEN 'The ACKs and NAKs of the receiver are not all visible here'
            ELSE 'No ACK or NAK of the receiver decides it' END
         || ', so whether these packets were lost is ambiguous. They are left '
         || 'out of every loss figure; taken as losses they are an upper bound.'
         || caution AS detail,
       'Capture at a host''s link, where both directions pass.' AS action,
       tap_id, flow_id, first_ns, last_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB losses --param kind=unresolved_gap --param '
                  || 'incident=' || id) AS evidence
  FROM incident i
 WHERE kind = 'unresolved'
