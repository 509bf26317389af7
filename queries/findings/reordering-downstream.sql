-- Did reordering downstream of this capture point make receivers send NAKs?
-- Rule R26: the packets were seen here in order, the receiver sent a NAK for them,
-- and acknowledged them before their retransmissions can have arrived.
-- param critical duration 10ms  critical when it cost one flow so much
-- needs incident
SELECT CASE WHEN worst_ns >= :critical THEN 'critical'
            ELSE 'warning' END AS severity,
       confidence,
       'Reordering between this capture point and the receiver made it send '
         || 'NAKs ' || times(occurrences) || ': ' || who AS title,
       'Nothing was lost: the packets were seen here in order, the receiver sent '
         || 'a NAK for them, and acknowledged them all the same. They were '
         || 'reordered downstream, and the receiver did not wait for those '
         || 'that were late. ' || cost AS detail,
       'Use several paths only for flows whose receivers wait for packets out '
         || 'of order, or pin these flows to one path (spraying, adaptive '
         || 'routing, LAG hashing) from here to '
         || ifnull(dst, 'the receivers') || '.' AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB recoveries --param incident=' || id
                || ' --param cause=reorder') AS evidence
  FROM incident
 WHERE kind = 'reorder_downstream'
