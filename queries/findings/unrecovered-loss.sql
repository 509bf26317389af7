-- Were packets lost that nobody retransmitted before the capture ended?
-- needs incident
SELECT CASE WHEN low_confidence THEN 'info' ELSE 'warning' END AS severity,
       CASE WHEN low_confidence THEN min(confidence, 0.3)
            ELSE confidence END AS confidence,
       CASE WHEN low_confidence THEN 'LOW CONFIDENCE: ' ELSE '' END
         || plural(lost_min, 'packet')
         || ' lost and not retransmitted while the capture ran: ' || who
         AS title,
       'The capture ends before the recovery, the queue pair died, or its '
         || 'transport does not repair losses.' || caution AS detail,
       'Look at the last packets of these flows, and capture for longer if '
         || 'they end there.' AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB losses --param incident=' || id)
         AS evidence
  FROM incident
 WHERE kind = 'unrecovered'
