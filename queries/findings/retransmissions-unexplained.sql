-- Were packets sent again without a reason that can be seen?
SELECT 'warning' AS severity, confidence,
       plural(resent_packets, 'packet')
         || ' sent again, and the capture does not show why: ' || who
         AS title,
       'Somebody asked for them or a timer fired, but ACKs and NAKs of these '
         || 'flows are not in the capture or do not explain it. That packets '
         || 'were sent again does not say how many were lost. ' || cost
         AS detail,
       'Capture where both directions are visible.' AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB recoveries --param incident=' || id
                || ' --param cause=unknown') AS evidence
  FROM incident
 WHERE kind = 'unexplained' AND resent_packets > 0
