-- Did reordering make receivers ask for packets they were about to get?
-- Rule R2: nothing was lost, but the receiver does not accept packets out of
-- order.
-- param critical duration 10ms  critical when it cost one flow so much
-- needs incident
SELECT CASE WHEN worst_ns >= :critical THEN 'critical'
            ELSE 'warning' END AS severity,
       confidence,
       'Reordering upstream of this capture point made receivers send NAKs '
         || times(occurrences) || ': ' || who AS title,
       'Nothing was lost: the packets were out of order, the receiver does '
         || 'not accept that and sent a NAK, and the sender retransmitted '
         || 'what had arrived. ' || cost AS detail,
       'Use several paths only for flows whose receivers accept packets out of '
         || 'order, or pin these flows to one path (spraying, adaptive '
         || 'routing, LAG hashing).' AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB recoveries --param incident=' || id
                || ' --param cause=reorder') AS evidence
  FROM incident
 WHERE kind = 'reorder'
