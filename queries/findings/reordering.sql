-- Did reordering make receivers ask for packets they were about to get?
-- Rule R2: nothing was lost, but the receiver asks for what is late.
-- param critical duration 10ms  critical when it cost one flow so much
-- needs incident
SELECT CASE WHEN worst_ns >= :critical THEN 'critical'
            ELSE 'warning' END AS severity,
       confidence,
       'Reordering upstream of this capture point made receivers send NAKs '
         || times(occurrences) || ': ' || who AS title,
       'Nothing was lost: the packets were out of order, the receiver asked '
         || 'for those that were late (NAK), and the sender retransmitted what '
         || 'was on its way. ' || cost AS detail,
       'Use several paths only for flows whose receivers wait for packets out '
         || 'of order, or pin these flows to one path (spraying, adaptive '
         || 'routing, LAG hashing).' AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB recoveries --param incident=' || id
                || ' --param cause=reorder') AS evidence
  FROM incident
 WHERE kind = 'reorder'
