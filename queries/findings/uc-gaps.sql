-- Do flows of the unreliable transport (UC) have holes?
-- Rule R23.  UC has no acknowledgements: a loss and a gap of the capture look
-- the same.
-- needs incident
SELECT 'info' AS severity, 0.3 AS confidence,
       plural(occurrences, 'packet') || ' missing in UC flows: ' || who AS title,
       'UC does not acknowledge, so whether these packets were lost or '
         || 'not captured is ambiguous. If they were lost, their whole '
         || 'messages were.' || caution AS detail,
       'Compare with the receiver''s own count, or capture at a second point.'
         AS action,
       tap_id, flow_id, first_ns, last_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB losses --param kind=unresolved_gap --param '
                  || 'incident=' || id) AS evidence
  FROM incident
 WHERE kind = 'uc_gap'
