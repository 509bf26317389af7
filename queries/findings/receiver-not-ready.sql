-- Did receivers refuse packets because no buffer was posted (RNR)?
-- Rules R14 and, for Ultra Ethernet, U7: this is the receiving application or
-- its resources, not loss.
-- param critical duration 10ms  critical when it cost one flow so much
-- needs incident
SELECT CASE WHEN worst_ns >= :critical THEN 'critical'
            ELSE 'warning' END AS severity,
       confidence,
       'The receiver was not ready ' || times(occurrences) || ': '
         || who AS title,
       CASE WHEN codes IS NOT NULL
            THEN 'It refused packets for lack of resources (NACK ' || codes
                 || '). '
            ELSE 'It sent RNR NAKs: no receive buffer was posted. '
       END || 'The sender has to wait and retransmit. This is not loss, and '
         || 'not the network. ' || cost AS detail,
       'Look at the receiving host'
         || ifnull(' ' || dst, '') || ': does the application post receives '
         || 'in time, is its receive queue deep enough, was it stopped?'
         || CASE WHEN codes IS NOT NULL THEN ' Are there enough contexts and '
         || 'buffers for so many senders?' ELSE '' END AS action,
       tap_id, flow_id, first_ns, last_ns, cost_ns, id AS incident_id,
       json_set(evidence, '$.query',
                'fabscope query DB rnr --param incident=' || id) AS evidence
  FROM (SELECT i.*,
               (SELECT group_concat(DISTINCT k.name)
                  FROM incident_flow m JOIN nack k ON k.flow_id = m.flow_id
                 WHERE m.incident_id = i.id AND k.code BETWEEN 4 AND 11)
                 AS codes
          FROM incident i)
 WHERE kind = 'rnr'
