-- Do PSNs jump too far for a loss?
-- needs incident
SELECT 'info' AS severity, confidence,
       'PSNs jump ' || times(occurrences) || ': ' || who
         AS title,
       'The jump is too far for a loss: the capture has a gap there, or the '
         || 'queue pair number was used again. The packets between are unknown.'
         AS detail,
       NULL AS action,
       tap_id, flow_id, first_ns, last_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB events --param kind=outage --param '
                  || 'incident=' || id) AS evidence
  FROM incident
 WHERE kind = 'psn_jump'
