-- Are there gaps that nothing explains?
-- Rule R9: no answer of the receiver is there to tell a loss from a packet that
-- only the capture misses.  They count in no loss figure.
SELECT 'info' AS severity, 0.3 AS confidence,
       plural(episodes, 'packet')
         || ' missing, lost or only not captured: ' || who AS title,
       'The answers of the receiver are not visible here, so that it cannot '
         || 'be told whether these packets were lost. They are left out of '
         || 'every loss figure; taken as losses they are an upper bound.'
         || caution AS detail,
       'Capture where both directions are visible.' AS action,
       tap_id, flow_id, first_ns, last_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB losses --param kind=unresolved_gap'
                || ' --param incident=' || id) AS evidence
  FROM incident
 WHERE kind = 'unresolved'
