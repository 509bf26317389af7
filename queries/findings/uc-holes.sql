-- Do flows of the unreliable transport (UC) have holes?
-- Rule R23.  UC has no acknowledgements: a loss and a gap of the capture look
-- the same.
SELECT 'info' AS severity, 0.3 AS confidence,
       plural(episodes, 'packet') || ' missing in UC flows: ' || who AS title,
       'UC does not acknowledge, so that it cannot be told whether these '
         || 'packets were lost on the way here or only by the capture. If '
         || 'they were lost, their whole messages were.' || caution AS detail,
       'Compare with the receiver''s own count, or capture at a second place.'
         AS action,
       tap_id, flow_id, first_ns, last_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB losses --param kind=unresolved_gap'
                || ' --param incident=' || id) AS evidence
  FROM incident
 WHERE kind = 'uc_hole'
