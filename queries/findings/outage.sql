-- Was there a time in which nothing between two hosts came through?
-- Several flows lost several packets each at the same time, and no other flow
-- between these hosts did better (`incident/timeouts`).
-- param critical duration 10ms  critical when it cost one flow so much
-- needs incident
SELECT CASE WHEN worst_ns >= :critical AND NOT low_confidence
            THEN 'critical' ELSE 'warning' END AS severity,
       CASE WHEN low_confidence THEN min(confidence, 0.3)
            ELSE confidence END AS confidence,
       CASE WHEN low_confidence THEN 'LOW CONFIDENCE: ' ELSE '' END
         || 'Outage between '
         || CASE kind WHEN 'outage_upstream'
                 THEN 'the sender and this capture point'
                 ELSE 'this capture point and the receiver' END
         || CASE WHEN idle_ns >= 10000 THEN ' for up to ' || human_ns(idle_ns)
                 ELSE '' END || ': ' || who
         AS title,
       'All flows lost their packets at the same time, at least '
         || plural(lost_min, 'packet') || ', and continued only after their '
         || 'RTO. Consistent with a black hole: a link or path that was down, '
         || 'a route that changed, a PFC watchdog that dropped. The fault '
         || 'itself may have been shorter than the RTO. '
         || cost || caution AS detail,
       'Look at the logs of the switches on this path at that time: link '
         || 'down, route withdrawal, PFC watchdog.' AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB recoveries --param incident=' || id)
         AS evidence
  FROM incident
 WHERE kind IN ('outage_upstream', 'outage_downstream')
