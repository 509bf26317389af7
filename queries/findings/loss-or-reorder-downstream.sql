-- Were packets lost or reordered between this capture point and the receiver?
-- Rule R26: they were seen here in order and the receiver sent a NAK for them;
-- where several paths lead on, loss and reordering are ambiguous from one capture
-- point.
-- param critical duration 10ms  critical when it cost one flow so much
-- needs incident
SELECT CASE WHEN worst_ns >= :critical AND NOT low_confidence
            THEN 'critical' ELSE 'warning' END AS severity,
       CASE WHEN low_confidence THEN min(confidence, 0.3)
            ELSE confidence END AS confidence,
       CASE WHEN low_confidence THEN 'LOW CONFIDENCE: ' ELSE '' END
         || 'Packets lost or reordered between this capture point and the '
         || 'receiver, ' || times(occurrences) || ': ' || who AS title,
       'They were seen here in order, and the receiver sent a NAK for them. '
         || 'Loss and reordering downstream are ambiguous at one capture '
         || 'point. '
         || CASE WHEN EXISTS (SELECT 1 FROM incident b
                              CROSS JOIN incident_flow n
                              CROSS JOIN incident_flow m
                              WHERE m.incident_id = b.id
                                AND m.flow_id = n.flow_id
                                AND b.kind = 'reorder_downstream'
                                AND n.incident_id = i.id)
                 THEN 'Reordering downstream is proven for some of these '
                   || 'flows, and no loss is. ' ELSE '' END
         || cost || caution AS detail,
       'Capture at the receiver''s link as well (--tap), or look at the drop '
         || 'counters from here to ' || ifnull(dst, 'the receivers')
         || '; without drops, look at spraying and adaptive routing.'
         AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB recoveries --param incident=' || id)
         AS evidence
  FROM incident i
 WHERE kind = 'loss_or_reorder'
